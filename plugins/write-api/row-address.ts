import { quoteIdentifier } from "rowhouse/plugin-api";
import type { Table } from "rowhouse/plugin-api";

/**
 * Columns whose values name a row to people: the primary key, else the rowid under the name that reaches it.
 * Empty for views.
 */
export function keyColumns(table: Table): readonly string[] {
  if (table.primaryKeys.length > 0) return table.primaryKeys;
  return table.rowidName === null ? [] : [table.rowidName];
}

/** Columns whose values find a row again whatever else happened to it: the rowid, else the primary key. */
export const addressColumns = (table: Table): readonly string[] =>
  table.rowidName === null ? table.primaryKeys : [table.rowidName];

/** `("a", "b")`, or `"a"` when it is only one. */
export const columnTuple = (columns: readonly string[]): string =>
  columns.length === 1 ? quoteIdentifier(columns[0] ?? "") : `(${columns.map(quoteIdentifier).join(", ")})`;

/** `"a" = ? and "b" = ?` */
export const whereEquals = (columns: readonly string[]): string =>
  columns.map((column) => `${quoteIdentifier(column)} = ?`).join(" and ");
