import type { VisibleDatabase } from "./catalogue.js";
import { identifier } from "./names.js";
import { jsonContent, type Endpoint, type JsonSchema } from "./openapi.js";
import { databasePath, failures, resourcePath, type DescribedTable } from "./read-endpoints.js";

const TEXT = { type: "string" };
const NEW_TYPE = { enum: ["text", "integer", "float", "blob", null] };
const MATCHES = {
  type: ["boolean", "null"],
  description: "All values exist in fk_table; null if not compared",
};

/** The endpoint that lists the tables which foreign keys can reference, for actors who may create tables. */
export function targetEndpoints(
  { name, mayCreate }: VisibleDatabase,
  routes: ReadonlySet<string>,
): readonly Endpoint[] {
  if (!mayCreate || !routes.has("foreign-key-targets")) return [];
  return [
    lookup(`${databasePath(name)}/-/foreign-key-targets`, {
      operationId: identifier(name, "foreign_key_targets"),
      summary: `Tables of ${name} that a foreign key can reference`,
      tags: [name],
      list: "targets",
      item: { fk_table: TEXT, fk_column: TEXT, type: NEW_TYPE },
    }),
  ];
}

/** The endpoint that suggests foreign keys of a table, for actors who may alter it. */
export function suggestionEndpoints(
  { database, seen: { table, actions } }: DescribedTable,
  routes: ReadonlySet<string>,
): readonly Endpoint[] {
  const isAlterable = table.kind === "table" && actions.has("alter-table");
  if (!isAlterable || !routes.has("foreign-key-suggestions")) return [];
  return [
    lookup(`${resourcePath(database, table.name)}/-/foreign-key-suggestions`, {
      operationId: identifier(database, table.name, "foreign_key_suggestions"),
      summary: `Foreign keys that the names of columns of ${table.name} suggest`,
      tags: [database],
      list: "suggestions",
      item: { column: TEXT, fk_table: TEXT, fk_column: TEXT, matches: MATCHES },
    }),
  ];
}

interface Lookup extends Pick<Endpoint["operation"], "operationId" | "summary" | "tags"> {
  /** The member of the document with the list. */
  readonly list: string;
  /** The members of an entry of the list. */
  readonly item: JsonSchema;
}

const lookup = (path: string, { list, item, ...operation }: Lookup): Endpoint => ({
  path,
  method: "get",
  operation: {
    ...operation,
    responses: {
      "200": { description: "Done", content: jsonContent(documentWith(list, item)) },
      ...failures,
    },
  },
});

const documentWith = (list: string, item: JsonSchema): JsonSchema => ({
  type: "object",
  properties: {
    ok: { const: true },
    [list]: { type: "array", items: { type: "object", properties: item, required: Object.keys(item) } },
  },
  required: ["ok", list],
});
