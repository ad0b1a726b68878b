import type { Table } from "rowhouse/plugin-api";
import type { SeenDatabase, TableAction } from "./catalogue.js";
import { identifier } from "./names.js";
import { jsonContent, schemaRef } from "./openapi.js";
import type { Endpoint, JsonSchema, Reference } from "./openapi.js";
import { databasePath, failures, hasRowPath, resourcePath, rowPlace } from "./read-endpoints.js";
import type { DescribedTable } from "./read-endpoints.js";
import { changesSchema, keyedRowSchema, newRowSchema } from "./row-schemas.js";

/** A way of writing to a table, by the name of its route. */
interface TableWrite {
  readonly route: string;
  readonly word: string;
  readonly says: string;
  readonly needs: readonly TableAction[];
  readonly on: "table" | "row";
  readonly status: "200" | "201";
  readonly body: (table: Table) => JsonSchema;
}

const FLAG = { type: "boolean" };
const TEXT = { type: "string" };
const NAMES = { type: "array", items: TEXT };

const body = (properties: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
  additionalProperties: false,
});

const rowsBody = (row: JsonSchema): JsonSchema =>
  body(
    {
      row,
      rows: { type: "array", items: row },
      return: { ...FLAG, description: "Answer with the rows as they are stored" },
      ignore: { ...FLAG, description: "Leave out rows whose key is there already" },
      replace: { ...FLAG, description: "Replace rows whose key is there already; needs update-row" },
      alter: { ...FLAG, description: "Add the columns that are missing; needs alter-table" },
    },
    { oneOf: [{ required: ["row"] }, { required: ["rows"] }] },
  );

const upsertBody = (row: JsonSchema): JsonSchema => {
  const { ignore: _ignore, replace: _replace, ...properties } = rowsBody(row)["properties"] as JsonSchema;
  return { ...rowsBody(row), properties };
};

const filterMembers = {
  filters: { type: "object", description: "Filters of the table page by name: year__gte, title" },
  all: { ...FLAG, description: "Every row, where there are no filters" },
  dry_run: { ...FLAG, description: "Only try" },
};

const operations = (what: string): JsonSchema => ({
  type: "array",
  minItems: 1,
  description: what,
  items: { type: "object", properties: { op: TEXT }, required: ["op"] },
});

const tableWrites: readonly TableWrite[] = [
  {
    route: "insert-rows",
    word: "insert",
    says: "Insert rows into",
    needs: ["insert-row"],
    on: "table",
    status: "201",
    body: (table) => rowsBody(newRowSchema(table)),
  },
  {
    route: "upsert-rows",
    word: "upsert",
    says: "Update rows by their key, or insert them, in",
    needs: ["insert-row", "update-row"],
    on: "table",
    status: "200",
    body: (table) => upsertBody(keyedRowSchema(table)),
  },
  {
    route: "update-rows",
    word: "update",
    says: "Change every row that filters select in",
    needs: ["update-row"],
    on: "table",
    status: "200",
    body: (table) => body({ update: changesSchema(table), ...filterMembers }, { required: ["update"] }),
  },
  {
    route: "delete-rows",
    word: "delete",
    says: "Delete every row that filters select from",
    needs: ["delete-row"],
    on: "table",
    status: "200",
    body: () => body(filterMembers),
  },
  {
    route: "alter-table",
    word: "alter",
    says: "Change the definition of",
    needs: ["alter-table"],
    on: "table",
    status: "200",
    body: () =>
      body(
        {
          operations: operations(
            "add_column, rename_column, alter_column, drop_column, reorder_columns, set_primary_key, add_foreign_key, drop_foreign_key, set_foreign_keys or rename_table, with its arguments",
          ),
          dry_run: filterMembers.dry_run,
        },
        { required: ["operations"] },
      ),
  },
  {
    route: "drop-table",
    word: "drop",
    says: "Drop, or without confirm count the rows of",
    needs: ["drop-table"],
    on: "table",
    status: "200",
    body: () => body({ confirm: FLAG }),
  },
  {
    route: "update-row",
    word: "update",
    says: "Change a row of",
    needs: ["update-row"],
    on: "row",
    status: "200",
    body: (table) =>
      body({ update: changesSchema(table), return: FLAG, alter: FLAG }, { required: ["update"] }),
  },
  {
    route: "delete-row",
    word: "delete",
    says: "Delete a row of",
    needs: ["delete-row"],
    on: "row",
    status: "200",
    body: () => body({}),
  },
];

/** The ways of writing to a table that its visitor may go. */
export function writeEndpoints(
  { database, seen: { table, actions } }: DescribedTable,
  routes: ReadonlySet<string>,
): readonly Endpoint[] {
  const open = tableWrites.filter(
    ({ route, needs, on }) =>
      routes.has(route) &&
      needs.every((action) => actions.has(action)) &&
      (on === "table" || hasRowPath(table)),
  );
  return open.map((write) => {
    const place =
      write.on === "row"
        ? rowPlace(database, table)
        : { path: resourcePath(database, table.name), parameters: [] };
    return post(`${place.path}/-/${write.word}`, write.body(table), {
      operationId: identifier(database, table.name, write.route),
      summary: `${write.says} ${table.name}`,
      tags: [database],
      parameters: place.parameters,
      responses: { [write.status]: { description: "Done", content: jsonContent(schemaRef("Done")) } },
    });
  });
}

/** The ways of writing to a database as a whole. */
export function databaseWriteEndpoints(
  { name, mayCreate, tables }: SeenDatabase,
  routes: ReadonlySet<string>,
): readonly Endpoint[] {
  const mayWrite = tables.some(({ actions }) => actions.size > 0);
  const done = { description: "Done", content: jsonContent(schemaRef("Done")) };
  const path = databasePath(name);
  return [
    ...(mayCreate && routes.has("create-table")
      ? [
          post(`${path}/-/create`, createBody, {
            operationId: identifier(name, "create_table"),
            summary: `Create a table in ${name}`,
            tags: [name],
            responses: { "201": done },
          }),
        ]
      : []),
    ...(mayWrite && routes.has("batch")
      ? [
          post(`${path}/-/batch`, batchBody, {
            operationId: identifier(name, "batch"),
            summary: `Several writes to tables of ${name}, all of them or none`,
            tags: [name],
            responses: { "200": done },
          }),
        ]
      : []),
  ];
}

const newColumn = body(
  { name: TEXT, type: { type: "string", enum: ["text", "integer", "float", "blob"] } },
  { required: ["name"] },
);

const createBody = body(
  {
    table: TEXT,
    columns: { type: "array", items: newColumn },
    row: { type: "object" },
    rows: { type: "array", items: { type: "object" } },
    pk: TEXT,
    pks: NAMES,
    ignore: FLAG,
    replace: FLAG,
  },
  { required: ["table"] },
);

const batchBody = body(
  {
    operations: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        properties: {
          op: { type: "string", enum: ["insert", "upsert", "update", "delete"] },
          table: TEXT,
        },
        required: ["op", "table"],
      },
    },
    dry_run: filterMembers.dry_run,
  },
  { required: ["operations"] },
);

const post = (
  path: string,
  schema: JsonSchema | Reference,
  operation: Omit<Endpoint["operation"], "requestBody">,
): Endpoint => ({
  path,
  method: "post",
  operation: {
    ...operation,
    requestBody: { required: true, content: jsonContent(schema) },
    responses: { ...operation.responses, ...failures },
  },
});
