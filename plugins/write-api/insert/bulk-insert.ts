import type { ListStatement, ReadableTable, SqlValue, Table } from "rowhouse/plugin-api";
import type { RowValues } from "../json/cell-values.js";
import { cellKinds, cellExpressions, rowArrays } from "../json/row-encoding.js";
import type { RowRun } from "../json/row-encoding.js";
import type { Outcome } from "../operation.js";
import { acceptedColumns } from "../rows/rows-request.js";
import { insertSql } from "./insert-rows.js";
import type { Conflict } from "./insert-rows.js";

/** An insertion that needs nothing but rows put into a table. */
export interface PlainInsert {
  readonly readable: ReadableTable;
  readonly values: readonly RowValues[];
  readonly conflict: Conflict;
  /** Columns to be shown of what was stored; null where nobody asked. */
  readonly returned: readonly string[] | null;
}

/** The insertion as one statement over a list; null where it takes more than that. */
export function bulkInsert(insert: PlainInsert): ListStatement<Outcome> | null {
  const { readable, values, returned } = insert;
  const { table } = readable;
  if (returned !== null && !isReturnedAsStored(insert)) return null;
  // In the table's order: who names the same columns in another order says the same.
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

// Clients send the same columns again and again.
const CACHED_STATEMENTS_PER_TABLE = 100;

/** What was said lately, by table and by what it depends on: to say it again takes longer than all else about a row. */
const statementCache = new WeakMap<Table, Map<string, string>>();

/** The statement that stores a run of rows. */
function statementFor({ readable: { table }, conflict, returned }: PlainInsert, run: RowRun): string {
  const cache = statementCache.get(table) ?? new Map<string, string>();
  statementCache.set(table, cache);
  const returning = returned ?? [];
  // No name holds a NUL, and there are as many columns as there are kinds.
  const key = [conflict, cellKinds(run), ...run.columns, ...returning].join("\0");
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const sql = insertSql(
    { table: table.name, conflict, returning },
    { columns: run.columns, cells: cellExpressions(run) },
  );
  if (cache.size === CACHED_STATEMENTS_PER_TABLE) cache.clear();
  cache.set(key, sql);
  return sql;
}

/** Does RETURNING bring what a look at the table would: the row, as nothing else changes it, and no other? */
const isReturnedAsStored = ({ readable, values, conflict }: PlainInsert): boolean =>
  values.length === 1 && conflict !== "ignore" && !readable.restricted && isPlain(readable.table);

const isPlain = ({ kind, triggers }: Table): boolean => kind === "table" && triggers.length === 0;
