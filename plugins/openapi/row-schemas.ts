import type { Column, Table } from "rowhouse/plugin-api";
import { schemaRef, type JsonSchema, type Reference } from "./openapi.js";

const INTEGER = { type: "integer", format: "int64" };
const NUMBER = { type: "number", format: "double" };
const TEXT = { type: "string" };

/** The usual values of a column by its affinity. */
const byAffinity: Readonly<Record<Column["affinity"], readonly (JsonSchema | Reference)[]>> = {
  integer: [INTEGER],
  real: [NUMBER],
  numeric: [INTEGER, NUMBER, TEXT],
  text: [TEXT],
  blob: [],
};

/**
 * The values of a column by its declared type. SQLite enforces types only in STRICT tables, so other values are
 * possible.
 */
export function columnSchema({ type, affinity, notNull, primaryKeyPosition }: Column): JsonSchema {
  const declared = type === "" ? {} : { description: `Declared as ${type}` };
  const kinds = type.toUpperCase().includes("BLOB") ? [schemaRef("Blob"), TEXT] : byAffinity[affinity];
  const [only] = kinds;
  if (only === undefined) return declared;
  const isNeverNull = notNull || (affinity === "integer" && primaryKeyPosition > 0);
  if (isNeverNull && kinds.length === 1) return { ...declared, ...only };
  return { ...declared, anyOf: isNeverNull ? kinds : [...kinds, { type: "null" }] };
}

/** A row as an object for reading. */
export function rowSchema(table: Table): JsonSchema {
  const shown = table.columns.filter(({ hidden }) => !hidden);
  const rowid =
    table.primaryKeys.length === 0 && table.rowidName !== null ? [["rowid", INTEGER] as const] : [];
  return objectOf([...rowid, ...shown.map((column) => [column.name, readSchema(column)] as const)]);
}

// A foreign key may be an object with the label of the referenced row.
const readSchema = (column: Column): JsonSchema => {
  const { description, ...schema } = columnSchema(column);
  if (Object.keys(schema).length === 0) return description === undefined ? {} : { description };
  return {
    ...(description !== undefined && { description }),
    anyOf: [...((schema["anyOf"] as readonly JsonSchema[] | undefined) ?? [schema]), schemaRef("Labelled")],
  };
};

/** A row for writing, without generated columns. */
export function newRowSchema(table: Table): JsonSchema {
  const columns = writable(table);
  const required = columns.filter(isRequired).map(({ name }) => name);
  return { ...changesSchema(table), ...(required.length > 0 && { required }) };
}

/** Some columns of a row. */
export const changesSchema = (table: Table): JsonSchema => ({
  ...objectOf(writable(table).map((column) => [column.name, columnSchema(column)] as const)),
  additionalProperties: false,
});

/** A row with its key. */
export function keyedRowSchema(table: Table): JsonSchema {
  const keys = table.primaryKeys.length === 0 ? ["rowid"] : table.primaryKeys;
  const rowid = table.primaryKeys.length === 0 ? { rowid: INTEGER } : {};
  const { properties, ...changes } = changesSchema(table);
  return { ...changes, properties: { ...rowid, ...(properties as JsonSchema) }, required: keys };
}

const writable = (table: Table): readonly Column[] =>
  table.columns.filter(({ generated, hidden }) => generated === "no" && !hidden);

const isRequired = ({ notNull, defaultSql, affinity, primaryKeyPosition }: Column): boolean =>
  notNull && defaultSql === null && !(affinity === "integer" && primaryKeyPosition > 0);

/** Columns may have any name, also those of members of `Object.prototype`. */
function objectOf(properties: readonly (readonly [name: string, schema: JsonSchema])[]): JsonSchema {
  return { type: "object", properties: Object.fromEntries(properties) };
}
