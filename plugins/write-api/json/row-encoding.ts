import { Real, parseExactJson } from "rowhouse/plugin-api";
import type { SqlValue } from "rowhouse/plugin-api";
import type { RowValues } from "./cell-values.js";

/** Rows as one JSON text, and the SQL expressions that read their values back from `json_each` of that text. */
export interface EncodedRows {
  readonly columns: readonly string[];
  readonly count: number;
  /** An array with one array per row. */
  readonly json: string;
  /** One SQL expression per column, over `value`. It has no affinity, like a bare parameter. */
  readonly cells: readonly string[];
}

/** Consecutive rows that have the same columns. */
export interface RowRun {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
}

/** Splits rows wherever the set of columns changes. The order of the rows is kept. */
export function splitIntoRuns(rows: readonly RowValues[]): readonly RowRun[] {
  const runs: { readonly columns: readonly string[]; readonly rows: SqlValue[][] }[] = [];
  for (const row of rows) {
    let run = runs.at(-1);
    if (run === undefined || !hasColumns(row, run.columns)) {
      run = { columns: [...row.keys()], rows: [] };
      runs.push(run);
    }
    run.rows.push(run.columns.map((column) => row.get(column) ?? null));
  }
  return runs;
}

const hasColumns = (row: RowValues, columns: readonly string[]): boolean =>
  row.size === columns.length && columns.every((column) => row.has(column));

/** Encodes the values of a run. Decoding in SQL returns exactly the same values, to the last bit. */
export function encodeRows(run: RowRun): EncodedRows {
  const { columns, rows } = run;
  return { columns, count: rows.length, json: `[${rowArrays(run).join()}]`, cells: cellExpressions(run) };
}

/** Each row as a JSON array. */
export const rowArrays = ({ rows }: RowRun): readonly string[] =>
  rows.map((row) => `[${row.map(encodeValue).join()}]`);

/** One SQL expression per column, see `EncodedRows.cells`. */
export const cellExpressions = (run: RowRun): readonly string[] =>
  [...cellKinds(run)].map((kind, index) =>
    kind === "b" ? blobCellExpression(index) : cellExpression(index),
  );

/** One letter per column: `b` if one of its values is a BLOB, else `v`. The cell expressions depend on nothing else. */
export const cellKinds = ({ columns, rows }: RowRun): string =>
  columns.map((_, index) => (rows.some((row) => row[index] instanceof Uint8Array) ? "b" : "v")).join("");

/** Decodes the rows, to write them one by one. */
export function decodeRows({ columns, json }: EncodedRows): RowRun {
  const rows = parseExactJson(json) as readonly (readonly (SqlValue | readonly [string])[])[];
  return {
    columns,
    rows: rows.map((row) => row.map((value) => (isHex(value) ? Buffer.from(value[0], "hex") : value))),
  };
}

const isHex = (value: SqlValue | readonly [string]): value is readonly [string] => Array.isArray(value);

const cellExpression = (index: number): string => `json_extract(value, '$[${index}]')`;

/** A BLOB is encoded as an array that holds its hex form. No other value is encoded as an array. */
const blobCellExpression = (index: number): string =>
  `iif(json_type(value, '$[${index}]') = 'array', unhex(json_extract(value, '$[${index}][0]')), ${cellExpression(index)})`;

function encodeValue(value: SqlValue): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof Real) return encodeReal(value.value);
  if (value instanceof Uint8Array) return `["${Buffer.from(value).toString("hex")}"]`;
  return String(value);
}

// SQLite does not always parse the shortest decimal form of a double to the same double. With 19 digits it does.
function encodeReal(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  return Number.isSafeInteger(value) ? `${value}.0` : value.toExponential(18);
}
