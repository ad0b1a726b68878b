import { WriteRejected } from "rowhouse/plugin-api";
import type { Column, Table } from "rowhouse/plugin-api";
import { quotedList, requireKnown } from "../json/arguments.js";
import { isList, isObject, truthy } from "../json/cell-values.js";
import type { JsonObject } from "../json/cell-values.js";
import { keyColumns } from "../target/row-target.js";

/** What insert and upsert are asked. */
export interface RowsRequest {
  readonly rows: readonly JsonObject[];
  readonly returns: boolean;
  readonly ignore: boolean;
  readonly replace: boolean;
  /** Columns that the table lacks are added to it. */
  readonly alter: boolean;
}

const PARAMETERS = ["row", "rows", "return", "ignore", "replace", "alter"];

/** Reads a body's shape. @throws WriteRejected */
export function rowsRequest(document: JsonObject, maxRows: number): RowsRequest {
  const rows = rowsOf(document);
  if (rows.length > maxRows) throw new WriteRejected([`Too many rows, maximum allowed is ${maxRows}`]);
  requireKnown(document, PARAMETERS);
  const ignore = truthy(document.get("ignore"));
  const replace = truthy(document.get("replace"));
  if (ignore && replace) {
    throw new WriteRejected(['Cannot use "ignore" and "replace" at the same time']);
  }
  const alter = truthy(document.get("alter"));
  return { rows, ignore, replace, alter, returns: document.has("row") || truthy(document.get("return")) };
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

/** How rows fit a table. */
export interface RowRules {
  /** Columns that rows may have; null where others are added to the table. */
  readonly known: ReadonlySet<string> | null;
  /** Columns that every row must have, with a value. */
  readonly keys: readonly string[];
}

/** Rows give columns of the table only, unless it is altered. */
export const insertRules = (table: Table, alters: boolean): RowRules => ({
  known: alters ? null : knownColumns(table),
  keys: [],
});

/** The same, and every row gives its whole key. */
export const upsertRules = (table: Table, alters: boolean): RowRules => ({
  known: alters ? null : knownColumns(table),
  keys: keyColumns(table),
});

/** @throws WriteRejected naming each row that breaks the rules */
export function checkRows(rows: readonly JsonObject[], rules: RowRules): void {
  const mistakes = rows.flatMap((row, index) => rowMistakes(row, `Row ${index}`, rules));
  if (mistakes.length > 0) throw new WriteRejected(mistakes);
}

/** The columns of a table that may be written, and what its rows are known by. */
export function knownColumns(table: Table): ReadonlySet<string> {
  const known =
    remembered.get(table) ??
    new Set([...writableColumns(table).map(({ name }) => name), ...keyColumns(table)]);
  remembered.set(table, known);
  return known;
}

/**
 * Columns whose values are data. A value in a hidden column of a virtual table is a command to the module that keeps the
 * table: `delete-all` in the hidden column of a full-text index empties it.
 */
export const writableColumns = ({ columns }: Table): readonly Column[] =>
  columns.filter(({ hidden }) => !hidden);

const remembered = new WeakMap<Table, ReadonlySet<string>>();

/** What is wrong with one row. @param place how the row is called: `Row 0` */
export function rowMistakes(row: JsonObject, place: string, { known, keys }: RowRules): readonly string[] {
  const mistakes: string[] = [];
  const missing = keys.filter((key) => !row.has(key));
  if (missing.length > 0) mistakes.push(`${place} is missing primary key column(s): ${quotedList(missing)}`);
  const empty = keys.filter((key) => row.get(key) === null);
  if (empty.length > 0) mistakes.push(`${place} has null primary key column(s): ${quotedList(empty)}`);
  const invalid = known === null ? [] : [...row.keys()].filter((column) => !known.has(column)).toSorted();
  if (invalid.length > 0) mistakes.push(`${place} has invalid columns: ${invalid.join(", ")}`);
  return mistakes;
}
