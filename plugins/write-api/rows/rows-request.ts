import { WriteRejected } from "rowhouse/plugin-api";
import type { Column, Table } from "rowhouse/plugin-api";
import { quotedList, requireKnownMembers } from "../json/arguments.js";
import { isList, isObject, truthy } from "../json/cell-values.js";
import type { JsonObject } from "../json/cell-values.js";
import { keyColumns } from "../target/row-target.js";

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

/** Rules for upserts: as for inserts, and every row has its complete key. */
export const upsertRules = (table: Table, alters: boolean): RowRules => ({
  known: alters ? null : acceptedColumns(table),
  keys: keyColumns(table),
});

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
export function rowErrors(row: JsonObject, place: string, { known, keys }: RowRules): readonly string[] {
  const mistakes: string[] = [];
  const missing = keys.filter((key) => !row.has(key));
  if (missing.length > 0) mistakes.push(`${place} is missing primary key column(s): ${quotedList(missing)}`);
  const empty = keys.filter((key) => row.get(key) === null);
  if (empty.length > 0) mistakes.push(`${place} has null primary key column(s): ${quotedList(empty)}`);
  const invalid = known === null ? [] : [...row.keys()].filter((column) => !known.has(column)).toSorted();
  if (invalid.length > 0) mistakes.push(`${place} has invalid columns: ${invalid.join(", ")}`);
  return mistakes;
}
