import { quoteIdentifier } from "rowhouse/plugin-api";
import type { ReadableTable, SqlInput, SqlValue, Table, Transaction } from "rowhouse/plugin-api";
import type { RowValues } from "../json/cell-values.js";
import { encodeRow } from "../json/row-encoding.js";
import { columnTuple, keyColumns } from "../target/row-target.js";

/** Rows to look for by the values of some columns; several such sets add up. */
export interface SoughtRows {
  readonly columns: readonly string[];
  readonly values: readonly (readonly SqlValue[])[];
}

/** The columns that `select *` has, the rowid first where rows have no other key. */
export function keyedColumns(table: Table): readonly string[] {
  const own = ownColumns(table);
  return [...keyColumns(table).filter((key) => !own.includes(key)), ...own];
}

/** The columns that `select *` has. */
export const ownColumns = (table: Table): readonly string[] =>
  table.columns.filter(({ hidden }) => !hidden).map(({ name }) => name);

export interface StoredRowsQuestion {
  readonly readable: ReadableTable;
  readonly columns: readonly string[];
  readonly sought: readonly SoughtRows[];
  readonly orderBy: readonly string[];
}

/** The stored rows that are sought and may be read, each once, as JSON objects of `columns`. */
export async function storedRows(
  transaction: Transaction,
  { readable, columns, sought, orderBy }: StoredRowsQuestion,
): Promise<readonly string[]> {
  const sets = sought.filter((set) => set.columns.length > 0 && set.values.length > 0);
  if (sets.length === 0) return [];
  const packed = sets.map((set) => ({ ...set, ...encodeRow({ columns: set.columns, rows: set.values }) }));
  const where = packed
    .map(
      ({ columns: found, cells }, index) =>
        `${columnTuple(found)} in (select ${cells.join(", ")} from json_each(:sought${index}))`,
    )
    .join(" or ");
  const order = orderBy.length === 0 ? "" : ` order by ${orderBy.map(quoteIdentifier).join(", ")}`;
  const sql = `select ${columns.map(quoteIdentifier).join(", ")} from ${readable.flattenable} where ${where}${order}`;
  const values = packed.map(({ json }, index): [string, SqlInput] => [`sought${index}`, json]);
  const params = { ...readable.params, ...Object.fromEntries(values) };
  const { rows } = await transaction.allJson(sql, params, { shape: "objects" });
  return rows;
}

/** The keys of those rows that give a whole one. */
export function sentKeys(table: Table, rows: readonly RowValues[]): SoughtRows {
  const columns = keyColumns(table);
  const keys = rows.map((row) => columns.map((column) => row.get(column) ?? null));
  return { columns, values: keys.filter((key: readonly SqlValue[]) => !key.includes(null)) };
}
