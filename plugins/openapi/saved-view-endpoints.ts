import { identifier } from "./names.js";
import { jsonContent, schemaRef, type Endpoint, type JsonSchema } from "./openapi.js";
import { failures, resourcePath, type DescribedTable } from "./read-endpoints.js";

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

const reply = (status: string, description: string, schema: JsonSchema) => ({
  [status]: { description, content: jsonContent(schema) },
  ...failures,
});

/** The endpoints of saved views that the actor may use; none if no plugin has them. */
export function savedViewEndpoints(
  { database, seen }: DescribedTable,
  routes: ReadonlySet<string>,
): readonly Endpoint[] {
  if (!routes.has("saved-views")) return [];
  const { name } = seen.table;
  const path = `${resourcePath(database, name)}/-/views`;
  const endpoint = (kind: string, summary: string) => ({
    operationId: identifier(database, name, kind),
    summary,
    tags: [database],
  });
  const list: Endpoint = {
    path: `${path}.json`,
    method: "get",
    operation: {
      ...endpoint("views", `Saved views of ${name}: shared ones, and those of the actor`),
      responses: reply("200", "The views by name", {
        type: "object",
        properties: { ok: { const: true }, views: { type: "array", items: schemaRef("SavedView") } },
        required: ["ok", "views"],
      }),
    },
  };
  if (!seen.maySaveViews) return [list];
  return [
    list,
    {
      path,
      method: "post",
      operation: {
        ...endpoint("save_view", `Save a view of ${name}, or replace the own one with this name`),
        requestBody: { required: true, content: jsonContent(SENT) },
        responses: reply("201", "The view", {
          type: "object",
          properties: { ok: { const: true }, view: schemaRef("SavedView") },
          required: ["ok", "view"],
        }),
      },
    },
    {
      path: `${path}/{view}/delete`,
      method: "post",
      operation: {
        ...endpoint("delete_view", `Delete a saved view of ${name}`),
        parameters: [
          { name: "view", in: "path", required: true, schema: TEXT, description: "The id of the view" },
        ],
        requestBody: { required: true, content: jsonContent({ type: "object" }) },
        responses: reply("200", "It is deleted", {
          type: "object",
          properties: { ok: { const: true }, deleted: TEXT },
          required: ["ok", "deleted"],
        }),
      },
    },
  ];
}

/** The schema of a saved view. */
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
