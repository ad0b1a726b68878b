import type { Column, Table } from "rowhouse/plugin-api";
import {
  columnSchema,
  columnsSchema,
  schemaRef,
  type DescribedTable,
  type JsonSchema,
  type Reference,
} from "rowhouse/plugin-api/openapi";

const INTEGER = { type: "integer", format: "int64" };

/** References to the schemas of rows for writing. */
export interface WrittenRows {
  /** A new row. */
  readonly added: Reference;
  /** Some columns of a row. */
  readonly changes: Reference;
  /** A row with its key. */
  readonly keyed: Reference;
}

/** References to the schemas that `writtenRowSchemas` makes. */
export const writtenRows = ({ schemaName }: DescribedTable): WrittenRows => ({
  added: schemaRef(schemaName("new")),
  changes: schemaRef(schemaName("changes")),
  keyed: schemaRef(schemaName("keyed")),
});

/** The schemas of rows for writing. */
export const writtenRowSchemas = ({ table }: DescribedTable): Readonly<Record<string, JsonSchema>> => ({
  new: newRowSchema(table),
  changes: changesSchema(table),
  keyed: keyedRowSchema(table),
});

/** A row for writing, without generated columns. */
function newRowSchema(table: Table): JsonSchema {
  const columns = writable(table);
  const required = columns.filter(isRequired).map(({ name }) => name);
  return { ...changesSchema(table), ...(required.length > 0 && { required }) };
}

/** Some columns of a row. */
const changesSchema = (table: Table): JsonSchema => ({
  ...columnsSchema(writable(table).map((column) => [column.name, columnSchema(column)] as const)),
  additionalProperties: false,
});

function keyedRowSchema(table: Table): JsonSchema {
  const keys = table.primaryKeys.length === 0 ? ["rowid"] : table.primaryKeys;
  const rowid = table.primaryKeys.length === 0 ? { rowid: INTEGER } : {};
  const { properties, ...changes } = changesSchema(table);
  return { ...changes, properties: { ...rowid, ...(properties as JsonSchema) }, required: keys };
}

const writable = (table: Table): readonly Column[] =>
  table.columns.filter(({ generated, hidden }) => generated === "no" && !hidden);

const isRequired = ({ notNull, defaultSql, affinity, primaryKeyPosition }: Column): boolean =>
  notNull && defaultSql === null && !(affinity === "integer" && primaryKeyPosition > 0);
