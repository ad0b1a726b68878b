import { documentReply, getEndpoint, queryArgument, type ApiDescription } from "rowhouse/plugin-api/openapi";

const TEXT = { type: "string" };

/** The search for pages. */
export const api: ApiDescription = {
  instance: (instance) => [
    getEndpoint(instance, "/-/jump.json", {
      id: "jump",
      summary: "Pages, tables, queries and rows by the words of their names",
      parameters: [
        queryArgument("q", "Words that begin words of the names"),
        queryArgument("at", "The path of a table, for its actions"),
      ],
      reply: documentReply("What was found", {
        matches: {
          type: "array",
          items: {
            type: "object",
            properties: { kind: TEXT, label: TEXT, detail: { type: ["string", "null"] }, href: TEXT },
          },
        },
        truncated: { type: "boolean" },
      }),
    }),
  ],
};
