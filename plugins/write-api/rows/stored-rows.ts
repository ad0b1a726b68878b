import { quoteIdentifier } from "rowhouse/plugin-api";
import type { ReadableTable, SqlInput, SqlValue, Table, Transaction } from "rowhouse/plugin-api";
import { encodeRows } from "../json/cell-values.js";
import type { RowValues } from "../json/cell-values.js";
import { columnTuple, keyColumns } from "../target/row-target.js";

/** Rows to find by the values of some columns. */
export interface RowLookup {
  readonly columns: readonly string[];
  readonly values: readonly (readonly SqlValue[])[];
}

/** The columns of `select *`, preceded by the rowid if the table has no other key. */
export function columnsWithKey(table: Table): readonly string[] {
  const own = visibleColumns(table);
  return [...keyColumns(table).filter((key) => !own.includes(key)), ...own];
}

/** The columns of `select *`. */
export const visibleColumns = (table: Table): readonly string[] =>
  table.columns.filter(({ hidden }) => !hidden).map(({ name }) => name);

export interface StoredRowsQuery {
  readonly source: ReadableTable;
  readonly columns: readonly string[];
  readonly lookups: readonly RowLookup[];
  readonly orderBy: readonly string[];
}

/** Reads the rows that match any of the lookups and that the actor may read, each once, as JSON objects of `columns`. */
export async function readStoredRows(
  transaction: Transaction,
  { source, columns, lookups, orderBy }: StoredRowsQuery,
): Promise<readonly string[]> {
  const sets = lookups.filter((set) => set.columns.length > 0 && set.values.length > 0);
  if (sets.length === 0) return [];
  const packed = sets.map((set) => ({ ...set, ...encodeRows({ columns: set.columns, rows: set.values }) }));
  const where = packed
    .map(
      ({ columns: found, cells }, index) =>
        `${columnTuple(found)} in (select ${cells.join(", ")} from json_each(:sought${index}))`,
    )
    .join(" or ");
  const order = orderBy.length === 0 ? "" : ` order by ${orderBy.map(quoteIdentifier).join(", ")}`;
  const sql = `select ${columns.map(quoteIdentifier).join(", ")} from ${source.flattenable} where ${where}${order}`;
  const values = packed.map(({ json }, index): [string, SqlInput] => [`sought${index}`, json]);
  const params = { ...source.params, ...Object.fromEntries(values) };
  const { rows } = await transaction.allJson(sql, params, { shape: "objects" });
  return rows;
}

/** A lookup by the keys of the sent rows. Rows without a complete key are left out. */
export function keyLookup(table: Table, rows: readonly RowValues[]): RowLookup {
  const columns = keyColumns(table);
  const keys = rows.map((row) => columns.map((column) => row.get(column) ?? null));
  return { columns, values: keys.filter((key: readonly SqlValue[]) => !key.includes(null)) };
}
