import {
  WriteRejected,
  type Column,
  type SqlInput,
  type SqlValue,
  type Table,
  type Transaction,
} from "rowhouse/plugin-api";
import type { ReadableTable, TypedColumns } from "rowhouse/plugin-api/contracts";
import { keyColumns, encodeRows, type Dialect } from "rowhouse/plugin-api/engine";
import type { TableTarget } from "rowhouse/plugin-api/http";
import type { JsonObject } from "rowhouse/plugin-api/json";
import { columnTypesOf } from "rowhouse/plugin-api/metadata";
import { quotedList, requireKnownMembers } from "../json/body.js";
import {
  formsOf,
  isList,
  isObject,
  requireFewColumns,
  rowValuesInSlices,
  truthy,
  type RowValues,
} from "../json/cell-values.js";
import { columnTuple } from "../target/row-target.js";
import type { WriteContext } from "../target/write-access.js";

/** The body of an insert or upsert. */
export interface RowsRequest {
  readonly rows: readonly JsonObject[];
  readonly returnsRows: boolean;
  readonly ignore: boolean;
  readonly replace: boolean;
  /** Adds columns that the table lacks. */
  readonly alter: boolean;
}

const PARAMETERS = ["row", "rows", "return", "ignore", "replace", "alter"];

/** Parses the body of an insert or upsert. @throws WriteRejected */
export function parseRowsRequest(document: JsonObject, maxRows: number): RowsRequest {
  const rows = rowsOf(document);
  if (rows.length > maxRows) throw new WriteRejected([`Too many rows, maximum allowed is ${maxRows}`]);
  for (const { size } of rows) requireFewColumns(size);
  requireKnownMembers(document, PARAMETERS);
  const ignore = truthy(document.get("ignore"));
  const replace = truthy(document.get("replace"));
  if (ignore && replace) {
    throw new WriteRejected(['Cannot use "ignore" and "replace" at the same time']);
  }
  const alter = truthy(document.get("alter"));
  return { rows, ignore, replace, alter, returnsRows: document.has("row") || truthy(document.get("return")) };
}

function rowsOf(document: JsonObject): readonly JsonObject[] {
  const row = document.get("row");
  const rows = document.get("rows");
  if (row === undefined && rows === undefined) {
    throw new WriteRejected(['JSON must have one or other of "row" or "rows"']);
  }
  if (row !== undefined && rows !== undefined) {
    throw new WriteRejected(['Cannot use "row" and "rows" at the same time']);
  }
  if (row !== undefined) {
    if (!isObject(row)) throw new WriteRejected(['"row" must be a dictionary']);
    return [row];
  }
  if (!isList(rows)) throw new WriteRejected(['"rows" must be a list']);
  if (!rows.every(isObject)) throw new WriteRejected(['"rows" must be a list of dictionaries']);
  return rows;
}

/** The rules for rows of one table. */
export interface RowRules {
  /** Columns that rows may have; null if missing columns are added to the table. */
  readonly known: ReadonlySet<string> | null;
  /** Columns for which every row needs a value other than null. */
  readonly keys: readonly string[];
}

/** Rules for inserts: rows only have columns of the table, unless the request alters it. */
export const insertRules = (table: Table, alters: boolean): RowRules => ({
  known: alters ? null : acceptedColumns(table),
  keys: [],
});

/** Rules for upserts: as for inserts, and every row has its complete key. @throws WriteRejected without a key */
export function upsertRules(table: Table, alters: boolean): RowRules {
  const keys = keyColumns(table);
  if (keys.length === 0) throw new WriteRejected([`Rows of ${table.name} can't be upserted: it has no key`]);
  return { known: alters ? null : acceptedColumns(table), keys };
}

/** @throws WriteRejected naming each row that breaks the rules */
export function requireValidRows(rows: readonly JsonObject[], rules: RowRules): void {
  const mistakes = rows.flatMap((row, index) => rowErrors(row, `Row ${index}`, rules));
  if (mistakes.length > 0) throw new WriteRejected(mistakes);
}

/** The column names that a row may have: writable columns and the key, which may be the rowid. */
export function acceptedColumns(table: Table): ReadonlySet<string> {
  const known =
    acceptedColumnsCache.get(table) ??
    new Set([...writableColumns(table).map(({ name }) => name), ...keyColumns(table)]);
  acceptedColumnsCache.set(table, known);
  return known;
}

/**
 * The columns without hidden ones. A value in a hidden column of a virtual table is a command to its module: `delete-all`
 * in the hidden column of a full-text index empties the index.
 */
export const writableColumns = ({ columns }: Table): readonly Column[] =>
  columns.filter(({ hidden }) => !hidden);

/** The names of the columns to which the fields of a CSV file without header belong. */
export const columnsInOrder = (table: Table): readonly string[] =>
  writableColumns(table)
    .filter(({ generated }) => generated === "no")
    .map(({ name }) => name);

const acceptedColumnsCache = new WeakMap<Table, ReadonlySet<string>>();

/** The errors of one row. @param place how messages name the row: `Row 0` */
export function rowErrors(row: JsonObject, place: string, rules: RowRules): readonly string[] {
  if (isValid(row, rules)) return NO_ERRORS;
  const { known, keys } = rules;
  const mistakes: string[] = [];
  const missing = keys.filter((key) => !row.has(key));
  if (missing.length > 0) mistakes.push(`${place} is missing primary key column(s): ${quotedList(missing)}`);
  const empty = keys.filter((key) => row.get(key) === null);
  if (empty.length > 0) mistakes.push(`${place} has null primary key column(s): ${quotedList(empty)}`);
  const invalid = known === null ? [] : [...row.keys()].filter((column) => !known.has(column)).toSorted();
  if (invalid.length > 0) mistakes.push(`${place} has invalid columns: ${invalid.join(", ")}`);
  return mistakes;
}

const NO_ERRORS: readonly string[] = [];

/** Most rows are valid, which is seen without making a list. */
function isValid(row: JsonObject, { known, keys }: RowRules): boolean {
  for (const key of keys) if ((row.get(key) ?? null) === null) return false;
  if (known === null) return true;
  for (const column of row.keys()) if (!known.has(column)) return false;
  return true;
}

/** The values of sent rows as a table will store them. @throws WriteRejected naming each invalid value */
export async function valuesToStore(
  visit: WriteContext,
  { database, table }: TableTarget,
  rows: readonly JsonObject[],
): Promise<readonly RowValues[]> {
  const types = await columnTypesOf(visit, database.name, table.name);
  const formOf = formsOf({ dialect: database.dialect, table });
  return applyColumnTypes(types, await rowValuesInSlices(rows, visit.request, formOf));
}

/** The rows as they will be stored. @throws WriteRejected naming the row and column of each invalid value */
export function applyColumnTypes(
  types: TypedColumns | null,
  rows: readonly RowValues[],
): readonly RowValues[] {
  if (types === null) return rows;
  const mistakes: string[] = [];
  const accepted = rows.map((row, index) => {
    const one = applyColumnTypesToRow(types, row, `Row ${index} has an invalid value`);
    mistakes.push(...one.mistakes);
    return one.values;
  });
  if (mistakes.length > 0) throw new WriteRejected(mistakes);
  return accepted;
}

/** The same for the changes of an update. @throws WriteRejected */
export function applyColumnTypesToChanges(types: TypedColumns | null, changes: RowValues): RowValues {
  if (types === null) return changes;
  const { values, mistakes } = applyColumnTypesToRow(types, changes, "Invalid value");
  if (mistakes.length > 0) throw new WriteRejected(mistakes);
  return values;
}

/** One row as it will be stored, and its errors. @param says the beginning of a message: `Row 0 has an invalid value` */
export function applyColumnTypesToRow(
  types: TypedColumns,
  row: RowValues,
  says: string,
): { readonly values: RowValues; readonly mistakes: readonly string[] } {
  const { values, mistakes } = types.accept(row);
  return {
    values,
    mistakes: mistakes.map(({ column, message }) => `${says} in column ${column}: ${message}`),
  };
}

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
  readonly dialect: Dialect;
  readonly source: ReadableTable;
  readonly columns: readonly string[];
  readonly lookups: readonly RowLookup[];
  readonly orderBy: readonly string[];
}

/** Reads the rows that match any of the lookups and that the actor may read, each once, as JSON objects of `columns`. */
export async function readStoredRows(
  transaction: Transaction,
  { dialect, source, columns, lookups, orderBy }: StoredRowsQuery,
): Promise<readonly string[]> {
  const sets = lookups.filter((set) => set.columns.length > 0 && set.values.length > 0);
  if (sets.length === 0) return [];
  const packed = sets.map((set) => ({
    ...set,
    ...encodeRows({ columns: set.columns, rows: set.values }, dialect.definitions.numbers),
  }));
  const where = packed
    .map(
      ({ columns: found, kinds }, index) =>
        `${columnTuple(dialect, source.table, found)} in (${dialect.packedRows({ table: source.table, columns: found, kinds, parameter: `:sought${index}` })})`,
    )
    .join(" or ");
  const { quoteIdentifier } = dialect;
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
