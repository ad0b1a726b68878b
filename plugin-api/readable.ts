import type { ReadableTable } from "./contracts/tables.js";
import type { Table } from "./schema.js";
import { publishedIdentifier } from "./sql.js";

/** A table of which nothing is hidden from anybody. */
export function wholeTable(table: Table): ReadableTable {
  const known = remembered.get(table);
  if (known !== undefined) return known;
  const whole = { table, sql: publishedIdentifier(table.name), params: {}, narrowed: false };
  remembered.set(table, whole);
  return whole;
}

const remembered = new WeakMap<Table, ReadableTable>();
