import type { Column, Table } from "rowhouse/plugin-api";
import { columnSchema, columnsSchema, schemaRef, type JsonSchema } from "rowhouse/plugin-api/openapi";

const INTEGER = { type: "integer", format: "int64" };

/** A row as an object for reading. */
export function rowSchema(table: Table): JsonSchema {
  const shown = table.columns.filter(({ hidden }) => !hidden);
  const rowid =
    table.primaryKeys.length === 0 && table.rowidName !== null ? [["rowid", INTEGER] as const] : [];
  return columnsSchema([...rowid, ...shown.map((column) => [column.name, readSchema(column)] as const)]);
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
