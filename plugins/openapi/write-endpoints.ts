import type { Table } from "rowhouse/plugin-api";
import { keyColumns } from "rowhouse/plugin-api/engine";
import type { VisibleDatabase } from "./catalogue.js";
import { identifier } from "./names.js";
import { jsonContent, schemaRef, type Endpoint, type JsonSchema, type Reference } from "./openapi.js";
import { databasePath, failures, resourcePath, rowPlace, type DescribedTable } from "./read-endpoints.js";
import {
  batchBody,
  executeWriteBody,
  bodyOf,
  createBody,
  tableWrites,
  type TableWrite,
} from "./table-writes.js";

/** The parts of the write API that this instance has. */
export interface WriteSupport {
  /** Names of routes. */
  readonly routes: ReadonlySet<string>;
  /** Headers of all writes. */
  readonly headers: readonly Reference[];
}

function fits(table: Table, on: TableWrite["on"]): boolean {
  if (on === "table") return true;
  return on === "definition" ? table.kind === "table" : keyColumns(table).length > 0;
}

/** The operations that write to a table and that the actor may use. */
export function writeEndpoints(
  { database, seen: { table, actions }, rows, reordersColumns }: DescribedTable,
  { routes, headers }: WriteSupport,
): readonly Endpoint[] {
  const open = tableWrites.filter(
    ({ route, needs, on, reorders = reordersColumns }) =>
      routes.has(route) &&
      reorders === reordersColumns &&
      needs.every((action) => actions.has(action)) &&
      fits(table, on),
  );
  return open.map((write) => {
    const place =
      write.on === "row"
        ? rowPlace(database, table)
        : { path: resourcePath(database, table.name), parameters: [] };
    return post(`${place.path}/-/${write.word}`, bodyOf(write, rows), {
      operationId: identifier(database, table.name, write.route),
      summary: `${write.says} ${table.name}`,
      tags: [database],
      parameters: [...place.parameters, ...headers],
      responses: { [write.status]: { description: "Done", content: jsonContent(schemaRef("Done")) } },
    });
  });
}

/** The operations that write to a whole database. */
export function databaseWriteEndpoints(
  { name, mayCreate, mayWriteBySql, tables }: VisibleDatabase,
  { routes, headers }: WriteSupport,
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
            parameters: headers,
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
            parameters: headers,
            responses: { "200": done },
          }),
        ]
      : []),
    ...(mayWriteBySql && routes.has("execute-write")
      ? [
          post(`${path}/-/execute-write`, executeWriteBody, {
            operationId: identifier(name, "execute_write"),
            summary: `Run SQL that changes rows of ${name}`,
            tags: [name],
            responses: { "200": done },
          }),
        ]
      : []),
  ];
}

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
