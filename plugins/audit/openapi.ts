import { documentReply, getEndpoint, queryArgument, type ApiDescription } from "rowhouse/plugin-api/openapi";

const TEXT = { type: "string" };
const NULL_OR_TEXT = { type: ["string", "null"] };

/** The log of changes, for who may read it. */
export const api: ApiDescription = {
  actions: ["view-audit-log"],
  instance: (instance) =>
    instance.may("view-audit-log")
      ? [
          getEndpoint(instance, "/-/audit.json", {
            id: "audit",
            summary: "What was changed, newest first",
            parameters: [
              queryArgument("event", "The kind of change"),
              queryArgument("actor", "The id of the actor"),
              queryArgument("database", "The name of the database"),
              queryArgument("table", "The name of the table"),
              queryArgument("since", "The earliest time"),
              queryArgument("until", "The latest time"),
              queryArgument("q", "Text that the details contain"),
              queryArgument("_size", "Entries of a page, at most 1000", { type: "integer", minimum: 1 }),
              queryArgument("_next", "`next` of the previous page"),
            ],
            reply: documentReply("A page of the log", {
              entries: { type: "array", items: ENTRY },
              next: NULL_OR_TEXT,
              next_url: NULL_OR_TEXT,
            }),
          }),
        ]
      : [],
};

const ENTRY = {
  type: "object",
  properties: {
    id: { type: "integer" },
    created: TEXT,
    event: TEXT,
    actor: { type: ["object", "null"] },
    database: NULL_OR_TEXT,
    table: NULL_OR_TEXT,
    num_rows: { type: ["integer", "null"] },
    details: { type: "object" },
  },
};
