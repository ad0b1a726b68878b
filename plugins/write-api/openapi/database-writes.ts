import {
  jsonContent,
  parameterRefs,
  postEndpoint,
  schemaRef,
  type DescribedDatabase,
  type Endpoint,
} from "rowhouse/plugin-api/openapi";
import { findsTables } from "rowhouse/plugin-api/engine";
import { body, DRY_RUN, FLAG, headers, mayWrite, NAMES, TEXT, WRITE_ACTIONS } from "./common.js";

const newColumn = body(
  {
    name: TEXT,
    type: { type: "string", enum: ["text", "integer", "float", "blob"] },
    not_null: FLAG,
    default: {},
    default_expr: TEXT,
    choices: { type: "array" },
    fk_table: TEXT,
    fk_column: TEXT,
  },
  { required: ["name"] },
);

/** The definition of a new table. */
const createBody = body(
  {
    table: TEXT,
    columns: { type: "array", items: newColumn },
    row: { type: "object" },
    rows: { type: "array", items: { type: "object" } },
    pk: TEXT,
    pks: NAMES,
    checks: {
      type: "array",
      items: { type: "object", properties: { expression: TEXT, name: TEXT }, required: ["expression"] },
    },
    ignore: FLAG,
    replace: FLAG,
  },
  { required: ["table"] },
);

/** Several writes. */
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
          if_match: TEXT,
          if_columns: TEXT,
        },
        required: ["op", "table"],
      },
    },
    dry_run: DRY_RUN,
    undo: FLAG,
  },
  { required: ["operations"] },
);

const executeWriteBody = body(
  {
    sql: TEXT,
    params: { type: "object", description: "A value for each parameter", additionalProperties: true },
    dry_run: DRY_RUN,
  },
  { required: ["sql"] },
);

const done = { description: "Done", content: jsonContent(schemaRef("Done")) };

/** The operations that write to a whole database, and that the actor may use. */
export async function databaseWrites(described: DescribedDatabase): Promise<readonly Endpoint[]> {
  const { database, tables, may } = described;
  if (!database.mutable) return [];
  const { name } = database;
  const parameters = parameterRefs(headers);
  const writesTables = tables.some((table) => WRITE_ACTIONS.some((action) => mayWrite(table, action)));
  const create = postEndpoint(described, "/-/create", {
    id: "create_table",
    summary: `Create a table in ${name}`,
    parameters,
    body: createBody,
    status: "201",
    reply: done,
  });
  const batch = postEndpoint(described, "/-/batch", {
    id: "batch",
    summary: `Several writes to tables of ${name}, all of them or none`,
    parameters,
    body: batchBody,
    reply: done,
  });
  const executeWrite = postEndpoint(described, "/-/execute-write", {
    id: "execute_write",
    summary: `Run SQL that changes rows of ${name}`,
    body: executeWriteBody,
    reply: done,
  });
  return [
    ...(may("create-table") ? [create] : []),
    ...(writesTables ? [batch] : []),
    ...(may("execute-write-sql") && (await findsTables(database)) ? [executeWrite] : []),
  ];
}
