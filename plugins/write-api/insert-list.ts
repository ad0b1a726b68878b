import type { ListStatement, ReadableTable, SqlValue, Table } from "rowhouse/plugin-api";
import type { RowValues } from "./cell-values.js";
import { insertSql } from "./insert-rows.js";
import type { Conflict } from "./insert-rows.js";
import type { Outcome } from "./operation.js";
import { cellsOf, itemsOf } from "./row-carrier.js";
import { knownColumns } from "./rows-request.js";

/** An insertion that needs nothing but rows put into a table. */
export interface PlainInsert {
  readonly readable: ReadableTable;
  readonly values: readonly RowValues[];
  readonly conflict: Conflict;
  /** Columns to be shown of what was stored; null where nobody asked. */
  readonly returned: readonly string[] | null;
}

/** The insertion as one statement over a list; null where it takes more than that. */
export function insertList(insert: PlainInsert): ListStatement<Outcome> | null {
  const { readable, values, conflict, returned } = insert;
  const { table } = readable;
  if (returned !== null && !isReturnedAsStored(insert)) return null;
  // In the table's order: who names the same columns in another order says the same.
  const columns = [...knownColumns(table)].filter((column) => values[0]?.has(column) === true);
  if (columns.length === 0 || !values.every((row) => row.size === columns.length)) return null;
  const rows: (readonly SqlValue[])[] = [];
  for (const row of values) {
    if (!columns.every((column) => row.has(column))) return null;
    rows.push(columns.map((column) => row.get(column) ?? null));
  }
  const run = { columns, rows };
  return {
    sql: insertSql(
      { table: table.name, conflict, returning: returned ?? [] },
      { columns, cells: cellsOf(run) },
    ),
    items: itemsOf(run),
    result: (stored) => ({ count: values.length, rows: returned === null ? null : stored }),
  };
}

/** Does RETURNING bring what a look at the table would: the row, as nothing else changes it, and no other? */
const isReturnedAsStored = ({ readable, values, conflict }: PlainInsert): boolean =>
  values.length === 1 && conflict !== "ignore" && !readable.narrowed && isPlain(readable.table);

const isPlain = ({ kind, triggers }: Table): boolean => kind === "table" && triggers.length === 0;
