import { RowNotFound, WriteRejected, quoteIdentifier, tildeDecode, valueNotation } from "rowhouse/plugin-api";
import type { Column, ReadableTable, Rows, SqlInput, SqlParams, SqlValue, Table } from "rowhouse/plugin-api";
import type { WriteVisit } from "./authorize-write.js";
import { admitted, locateTable } from "./table-target.js";
import type { Needs, TableTarget } from "./table-target.js";

export interface RowTarget extends TableTarget {
  /** The key as it stands in the path, decoded. */
  readonly key: readonly string[];
}

/** The row in the path. @throws WriteRejected, DatabaseNotFound, TableNotFound, RowNotFound */
export async function rowTarget(visit: WriteVisit, needs: Needs): Promise<RowTarget> {
  const key = (visit.params["key"] ?? "").split(",").map(tildeDecode);
  return admitted(visit, needs, async () => {
    const found = await locateTable(visit);
    const { database, table, readable } = found;
    if (table.kind === "view") throw recordNotFound(key);
    requireWholeKey(table, key);
    await rowAddress(database.read.bind(database), { readable, key });
    return { ...found, key };
  });
}

/** @throws WriteRejected unless there is a value for every key column */
export function requireWholeKey(table: Table, key: readonly string[]): void {
  const { length } = keyColumns(table);
  if (key.length === length) return;
  throw new WriteRejected([`Need ${length} primary key ${length === 1 ? "value" : "values"}`]);
}

type Read = (sql: string, params: SqlParams) => Promise<Rows>;

/**
 * The values of a row's address columns, exactly as stored.
 *
 * @throws RowNotFound naming the key
 */
export async function rowAddress(
  read: Read,
  { readable, key }: { readonly readable: ReadableTable; readonly key: readonly string[] },
): Promise<readonly SqlValue[]> {
  const { table, flattenable: source, params } = readable;
  const where = keyColumns(table).map((name, index) =>
    keyCondition(columnOf(table, name), { name, value: key[index] ?? "", parameter: `:key${index}` }),
  );
  const sql =
    `select ${addressColumns(table).map(quoteIdentifier).join(", ")} from ${source} ` +
    `where ${where.join(" and ")} limit 1`;
  const values = key.map((value, index): [string, SqlInput] => [`key${index}`, value]);
  const { rows } = await read(sql, { ...params, ...Object.fromEntries(values) });
  const [address] = rows;
  if (address === undefined) throw recordNotFound(key);
  return address;
}

const columnOf = ({ columns }: Table, name: string): Column | undefined =>
  columns.find((column) => column.name === name);

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** A column without affinity may hold the number that the text in the path spells. */
function keyCondition(
  column: Column | undefined,
  { name, value, parameter }: { readonly name: string; readonly value: string; readonly parameter: string },
): string {
  const identifier = quoteIdentifier(name);
  if (column?.affinity !== "blob" || !NUMBER.test(value)) return `${identifier} = ${parameter}`;
  return `${identifier} in (${parameter}, cast(${parameter} as numeric))`;
}

/** @returns the error that says so, naming the key */
const recordNotFound = (key: readonly string[]): RowNotFound =>
  new RowNotFound(`Record not found: ${valueNotation(key)}`);

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
