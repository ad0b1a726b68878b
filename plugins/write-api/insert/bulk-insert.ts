import { LRUCache } from "lru-cache";
import type { ListStatement, ReadableTable, SqlValue, Table } from "rowhouse/plugin-api";
import type { RowValues } from "../json/cell-values.js";
import { cellKinds, cellExpressions, rowArrays } from "../json/row-encoding.js";
import type { RowRun } from "../json/row-encoding.js";
import type { Outcome } from "../operation.js";
import { acceptedColumns } from "../rows/rows-request.js";
import { insertSql } from "./insert-rows.js";
import type { Conflict } from "./insert-rows.js";

/** An insert without any other change to the table. */
export interface PlainInsert {
  readonly readable: ReadableTable;
  readonly values: readonly RowValues[];
  readonly conflict: Conflict;
  /** Columns of the stored rows to return; null to return none. */
  readonly returned: readonly string[] | null;
}

/** The insert as one statement over a list of rows; null if one statement is not enough. */
export function bulkInsert(insert: PlainInsert): ListStatement<Outcome> | null {
  const { readable, values, returned } = insert;
  const { table } = readable;
  if (returned !== null && !isReturnedAsStored(insert)) return null;
  // In the order of the table, so that rows with the same columns in another order use the same statement.
  const columns = [...acceptedColumns(table)].filter((column) => values[0]?.has(column) === true);
  if (columns.length === 0 || !values.every((row) => row.size === columns.length)) return null;
  const rows: (readonly SqlValue[])[] = [];
  for (const row of values) {
    if (!columns.every((column) => row.has(column))) return null;
    rows.push(columns.map((column) => row.get(column) ?? null));
  }
  const run = { columns, rows };
  return {
    sql: statementFor(insert, run),
    items: rowArrays(run),
    result: (stored) => ({ count: values.length, rows: returned === null ? null : stored }),
  };
}

// Clients usually send the same columns in every request, so few statements are enough.
const CACHED_STATEMENTS_PER_TABLE = 100;

/**
 * SQL texts by table and by everything they depend on. Building the text takes longer than all other handling of a row.
 */
const statementCache = new WeakMap<Table, LRUCache<string, string>>();

/** The statement that stores a run of rows. */
function statementFor({ readable: { table }, conflict, returned }: PlainInsert, run: RowRun): string {
  const cache =
    statementCache.get(table) ?? new LRUCache<string, string>({ max: CACHED_STATEMENTS_PER_TABLE });
  statementCache.set(table, cache);
  const returning = returned ?? [];
  // The key is unambiguous: names contain no NUL, and there is one kind per column.
  const key = [conflict, cellKinds(run), ...run.columns, ...returning].join("\0");
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const sql = insertSql(
    { table: table.name, conflict, returning },
    { columns: run.columns, cells: cellExpressions(run) },
  );
  cache.set(key, sql);
  return sql;
}

/** Does RETURNING return the same row as a SELECT? Not if triggers change it, or if an existing row is kept. */
const isReturnedAsStored = ({ readable, values, conflict }: PlainInsert): boolean =>
  values.length === 1 && conflict !== "ignore" && !readable.restricted && isPlain(readable.table);

const isPlain = ({ kind, triggers }: Table): boolean => kind === "table" && triggers.length === 0;
