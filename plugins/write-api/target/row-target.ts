import {
  WriteRejected,
  type SqlInput,
  type SqlParams,
  type SqlValue,
  type Table,
  type Transaction,
} from "rowhouse/plugin-api";
import { valueNotation } from "rowhouse/plugin-api/access";
import { RowNotFound, SqlFailed } from "rowhouse/plugin-api/errors";
import type { ReadableTable } from "rowhouse/plugin-api/contracts";
import { equalsValue, keyColumns, type Dialect, type Rows } from "rowhouse/plugin-api/engine";
import type { TableTarget, TargetOf, VerifyContext } from "rowhouse/plugin-api/http";
import type { JsonValue } from "rowhouse/plugin-api/json";
import { cellValue, isList, isObject } from "../json/cell-values.js";
import { redactKeyColumns } from "./redact-error.js";

/** A row that a write is about, by its table and key. */
export type RowTarget = TableTarget & Pick<TargetOf<"row">, "key">;

/** The check of routes whose path names a row. @throws RowNotFound, WriteRejected for an incomplete key */
export async function requireRow(context: VerifyContext<"row">): Promise<void> {
  const { database, table, source, key } = context.target;
  if (table.kind === "view") throw recordNotFound(key);
  try {
    requireCompleteKey(table, key);
  } catch (error) {
    throw await redactKeyColumns(context, context.target, error);
  }
  await rowAddress(database.read.bind(database), { dialect: database.dialect, source, key });
}

/** @throws WriteRejected unless there is a value for every key column */
function requireCompleteKey(table: Table, key: readonly unknown[]): void {
  const { length } = keyColumns(table);
  if (key.length === length) return;
  throw new WriteRejected([`Need ${length} primary key ${length === 1 ? "value" : "values"}`]);
}

/** The key of a row in a body: a value, or a list with a value for every key column. @throws WriteRejected */
export function keyOf(table: Table, given: JsonValue): readonly string[] {
  const key = (isList(given) ? given : [given]).map(keyText);
  requireCompleteKey(table, key);
  return key;
}

/** The values of a key in a body, with their types. @throws WriteRejected */
export function keyValues(table: Table, given: JsonValue): readonly SqlValue[] {
  const key = isList(given) ? given : [given];
  requireCompleteKey(table, key);
  return key.map(cellValue);
}

function keyText(value: JsonValue): string {
  if (value === null || isObject(value) || isList(value)) {
    throw new WriteRejected(['"key" must be a text or a number, or a list of them']);
  }
  // As writes store it.
  return String(typeof value === "boolean" ? Number(value) : value);
}

type Read = (sql: string, params: SqlParams) => Promise<Rows>;

interface KeyedRow {
  readonly dialect: Dialect;
  readonly source: ReadableTable;
  readonly key: readonly string[];
}

/**
 * The values of a row's address columns, exactly as stored.
 *
 * @throws RowNotFound naming the key
 */
export const rowAddress = (read: Read, row: KeyedRow): Promise<readonly SqlValue[]> =>
  rowByKey(read, row, addressColumns(row.source.table));

/**
 * The values of some columns of a row.
 *
 * @throws RowNotFound naming the key
 */
export async function rowByKey(
  read: Read,
  { dialect, source, key }: KeyedRow,
  columns: readonly string[],
): Promise<readonly SqlValue[]> {
  const { table, flattenable, params } = source;
  const where = keyColumns(table).map((name, index) =>
    dialect.equalsKey({ table, name }, key[index] ?? "", `key${index}`),
  );
  const sql =
    `select ${columns.map(dialect.quoteIdentifier).join(", ")} from ${flattenable} ` +
    `where ${where.join(" and ")}${dialect.limit(1)}`;
  const values = key.map((value, index): [string, SqlInput] => [`key${index}`, value]);
  try {
    const { rows } = await read(sql, { ...params, ...Object.fromEntries(values) });
    const [row] = rows;
    if (row !== undefined) return row;
  } catch (error) {
    // A part of the key may be no value of its column: the date `x`.
    if (!(error instanceof SqlFailed && error.kind === "value")) throw error;
  }
  throw recordNotFound(key);
}

/** The error for a missing row. */
const recordNotFound = (key: readonly string[]): RowNotFound =>
  new RowNotFound(`Record not found: ${valueNotation(key)}`);

/** Columns that identify a row even after an update of its key: the rowid, else the primary key. */
export const addressColumns = (table: Table): readonly string[] =>
  table.rowidName === null ? table.primaryKeys : [table.rowidName];

/** `("a", "b")`, or `"a"` for a single column, to be compared with rows of values. */
export const columnTuple = (dialect: Dialect, table: Table, columns: readonly string[]): string =>
  columns.length === 1
    ? comparedColumns(dialect, table, columns)
    : `(${comparedColumns(dialect, table, columns)})`;

/** `"a", "b"` */
export const comparedColumns = (dialect: Dialect, table: Table, columns: readonly string[]): string =>
  columns.map((name) => dialect.comparedColumn({ table, name })).join(", ");

/** `"a" = ? and "b" = ?` */
export const whereEquals = (dialect: Dialect, table: Table, columns: readonly string[]): string =>
  columns.map((name) => equalsValue(dialect, { table, name }, "?")).join(" and ");

/** The rows that a write changes, by their address. */
interface WrittenRows {
  readonly dialect: Dialect;
  readonly table: Table;
  readonly where: string;
  readonly params: SqlParams;
}

/**
 * Rows of tables that inherit from the table may have the key of one of its rows.
 *
 * @throws WriteRejected if `where` finds several rows with the same key, so that a write would change more than was named
 */
export async function requireUniqueKeys(
  transaction: Transaction,
  { dialect, table, where, params }: WrittenRows,
): Promise<void> {
  if (table.inheritingTables === undefined) return;
  const keys = addressColumns(table).map(dialect.quoteIdentifier).join(", ");
  const sql =
    `select 1 from ${dialect.quoteIdentifier(table.name)} where ${where} ` +
    `group by ${keys} having count(*) > 1${dialect.limit(1)}`;
  const { rows } = await transaction.all(sql, params);
  if (rows.length === 0) return;
  throw new WriteRejected(
    [
      `Several rows of ${table.name} have the same key, because other tables inherit from it. Write to those tables`,
    ],
    409,
  );
}
