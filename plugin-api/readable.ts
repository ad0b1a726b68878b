import type { ReadableTable } from "./contracts/tables.js";
import type { Table } from "./schema.js";
import { publishedIdentifier } from "./sql.js";

/** A table of which nothing is hidden from anybody. */
export const wholeTable = (table: Table): ReadableTable => ({
  table,
  sql: publishedIdentifier(table.name),
  params: {},
  narrowed: false,
});
