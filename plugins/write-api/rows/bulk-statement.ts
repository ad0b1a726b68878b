import type { LRUCache } from "lru-cache";
import type { SqlValue, Table } from "rowhouse/plugin-api";
import { boundedCache } from "rowhouse/plugin-api/kernel";
import type { RowRun } from "rowhouse/plugin-api/engine";
import { withExactTexts, withoutNullKeys, type RowValues, type StoredIn } from "../json/cell-values.js";
import { acceptedColumns } from "./rows-request.js";

/**
 * The cells of rows that one statement can store: all have the same columns, in the order of the table, so that rows
 * with the columns in another order use the same statement. Null for other rows.
 */
export function uniformRows(sent: readonly RowValues[], storedIn: StoredIn): RowRun | null {
  const values = sent.map((row) => withoutNullKeys(row, storedIn.table));
  const columns = [...acceptedColumns(storedIn.table)].filter((column) => values[0]?.has(column) === true);
  if (columns.length === 0 || !values.every((row) => row.size === columns.length)) return null;
  const rows: (readonly SqlValue[])[] = [];
  for (const row of values) {
    const cells: SqlValue[] = [];
    for (const column of columns) {
      const value = row.get(column);
      if (value === undefined) return null;
      cells.push(value);
    }
    rows.push(cells);
  }
  return withExactTexts({ columns, rows }, storedIn);
}

// Clients usually send the same columns in every request, so few statements are enough.
const BYTES_PER_TABLE = 500_000;

/**
 * SQL texts by table and by everything they depend on. Building the text takes longer than all other handling of a row.
 */
const textsByTable = new WeakMap<Table, LRUCache<string, string>>();

const newCache = (): LRUCache<string, string> =>
  boundedCache("insert-texts", BYTES_PER_TABLE, (sql) => sql.length + 1);

/** In place of a statement that is not enough by itself. */
const ONE_IS_NOT_ENOUGH = "";

/**
 * The text of the statement of a table, made once.
 *
 * @param facts everything that the text depends on beside the table, without NUL
 * @param make makes the text; null if one statement is not enough
 */
export function statementText(
  table: Table,
  facts: readonly string[],
  make: () => string | null,
): string | null {
  const cache = textsByTable.get(table) ?? newCache();
  textsByTable.set(table, cache);
  const key = facts.join("\0");
  const cached = cache.get(key);
  if (cached !== undefined) return cached === ONE_IS_NOT_ENOUGH ? null : cached;
  const sql = make();
  cache.set(key, sql ?? ONE_IS_NOT_ENOUGH);
  return sql;
}
