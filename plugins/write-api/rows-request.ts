import { WriteRejected } from "rowhouse/plugin-api";
import type { Table } from "rowhouse/plugin-api";
import { isList, isObject, truthy } from "./json-value.js";
import type { JsonObject } from "./json-value.js";
import { quotedList, requireKnown } from "./parameters.js";
import { keyColumns } from "./row-address.js";

/** What insert and upsert are asked. */
export interface RowsRequest {
  readonly rows: readonly JsonObject[];
  readonly returns: boolean;
  readonly ignore: boolean;
  readonly replace: boolean;
}

const PARAMETERS = ["row", "rows", "return", "ignore", "replace"];

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
  return { rows, ignore, replace, returns: document.has("row") || truthy(document.get("return")) };
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

/** Every row gives columns of the table only. @throws WriteRejected naming each row that does not */
export function checkColumns(rows: readonly JsonObject[], table: Table): void {
  const known = knownColumns(table);
  reject(rows.flatMap((row, index) => invalidColumns(row, index, known)));
}

/** The same, and every row gives its whole key. @throws WriteRejected naming each row that does not */
export function checkKeyedRows(rows: readonly JsonObject[], table: Table): void {
  const known = knownColumns(table);
  const keys = keyColumns(table);
  reject(
    rows.flatMap((row, index) => [
      ...missingKeys(row, index, keys),
      ...nullKeys(row, index, keys),
      ...invalidColumns(row, index, known),
    ]),
  );
}

function reject(mistakes: readonly string[]): void {
  if (mistakes.length > 0) throw new WriteRejected(mistakes);
}

const knownColumns = (table: Table): ReadonlySet<string> =>
  new Set([...table.columns.map(({ name }) => name), ...keyColumns(table)]);

function invalidColumns(row: JsonObject, index: number, known: ReadonlySet<string>): readonly string[] {
  const invalid = [...row.keys()].filter((column) => !known.has(column)).toSorted();
  return invalid.length === 0 ? [] : [`Row ${index} has invalid columns: ${invalid.join(", ")}`];
}

function missingKeys(row: JsonObject, index: number, keys: readonly string[]): readonly string[] {
  const missing = keys.filter((key) => !row.has(key));
  return missing.length === 0
    ? []
    : [`Row ${index} is missing primary key column(s): ${quotedList(missing)}`];
}

function nullKeys(row: JsonObject, index: number, keys: readonly string[]): readonly string[] {
  const empty = keys.filter((key) => row.get(key) === null);
  return empty.length === 0 ? [] : [`Row ${index} has null primary key column(s): ${quotedList(empty)}`];
}
