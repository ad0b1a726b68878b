import {
  documentReply,
  getEndpoint,
  postEndpoint,
  schemaRef,
  type DescribedTable,
  type Endpoint,
  type JsonSchema,
  type Parameter,
} from "rowhouse/plugin-api/openapi";

const TEXT: JsonSchema = { type: "string" };
const BOOLEAN: JsonSchema = { type: "boolean" };

const SENT: JsonSchema = {
  type: "object",
  properties: {
    name: { type: "string", maxLength: 100 },
    query: { type: "string", description: "The query string of the page, without ?" },
    fragment: { type: "string", description: "The text after # of the page" },
    private: { type: "boolean", default: true },
  },
  required: ["name"],
  additionalProperties: false,
};

const ID: Parameter = {
  name: "view",
  in: "path",
  required: true,
  schema: TEXT,
  description: "The id of the view",
};

/** The endpoints of the saved views of a table. @param maySave views have an owner, so that it needs an id */
export function savedViewEndpoints(described: DescribedTable, maySave: boolean): readonly Endpoint[] {
  const { name } = described.table;
  const list = getEndpoint(described, "/-/views.json", {
    id: "views",
    summary: `Saved views of ${name}: shared ones, and those of the actor`,
    reply: documentReply("The views by name", { views: { type: "array", items: schemaRef("SavedView") } }),
  });
  if (!maySave) return [list];
  return [
    list,
    postEndpoint(described, "/-/views", {
      id: "save_view",
      summary: `Save a view of ${name}, or replace the own one with this name`,
      body: SENT,
      status: "201",
      reply: documentReply("The view", { view: schemaRef("SavedView") }),
    }),
    postEndpoint(described, "/-/views/{view}/delete", {
      id: "delete_view",
      summary: `Delete a saved view of ${name}`,
      parameters: [ID],
      body: { type: "object" },
      reply: documentReply("It is deleted", { deleted: TEXT }),
    }),
  ];
}

export const savedViewSchemas: Readonly<Record<string, JsonSchema>> = {
  SavedView: {
    type: "object",
    properties: {
      id: TEXT,
      name: TEXT,
      query: TEXT,
      fragment: TEXT,
      url: { type: "string", format: "uri" },
      private: BOOLEAN,
      owner: TEXT,
      saved: { type: "string", format: "date-time" },
    },
    required: ["id", "name", "query", "fragment", "url", "private", "owner", "saved"],
  },
};
