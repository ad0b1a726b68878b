import { Real, parseExactJson } from "rowhouse/plugin-api";
import type { SqlValue } from "rowhouse/plugin-api";
import type { RowValues } from "./cell-values.js";

/** Rows on their way into SQL: one JSON text, and the expressions that take `json_each` of it apart again. */
export interface EncodedRows {
  readonly columns: readonly string[];
  readonly count: number;
  /** An array with one array a row. */
  readonly json: string;
  /** One SQL expression a column, over `value`; without affinity, as a bare parameter is. */
  readonly cells: readonly string[];
}

/** Rows that give the same columns, in a row. */
export interface RowRun {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
}

/** Cuts rows, without changing their order, wherever the set of columns changes. */
export function runsOf(rows: readonly RowValues[]): readonly RowRun[] {
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

/** Packs the values of a run; what comes out at the other end is what went in, to the last bit. */
export function encodeRow(run: RowRun): EncodedRows {
  const { columns, rows } = run;
  return { columns, count: rows.length, json: `[${itemsOf(run).join()}]`, cells: cellsOf(run) };
}

/** Each row as a JSON array. */
export const itemsOf = ({ rows }: RowRun): readonly string[] =>
  rows.map((row) => `[${row.map(carried).join()}]`);

/** One SQL expression a column, as in `CarriedRows`. */
export const cellsOf = (run: RowRun): readonly string[] =>
  [...cellKinds(run)].map((kind, index) => (kind === "b" ? blobCell(index) : cell(index)));

/** A letter a column: `b` where there are bytes among its values, else `v`. It is all that `cellsOf` depends on. */
export const cellKinds = ({ columns, rows }: RowRun): string =>
  columns.map((_, index) => (rows.some((row) => row[index] instanceof Uint8Array) ? "b" : "v")).join("");

/** The rows again, for those who need them one by one. */
export function unpack({ columns, json }: EncodedRows): RowRun {
  const rows = parseExactJson(json) as readonly (readonly (SqlValue | readonly [string])[])[];
  return {
    columns,
    rows: rows.map((row) => row.map((value) => (isHex(value) ? Buffer.from(value[0], "hex") : value))),
  };
}

const isHex = (value: SqlValue | readonly [string]): value is readonly [string] => Array.isArray(value);

const cell = (index: number): string => `json_extract(value, '$[${index}]')`;

/** Bytes travel as an array that holds their hex form, which no other value looks like. */
const blobCell = (index: number): string =>
  `iif(json_type(value, '$[${index}]') = 'array', unhex(json_extract(value, '$[${index}][0]')), ${cell(index)})`;

function carried(value: SqlValue): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof Real) return carriedReal(value.value);
  if (value instanceof Uint8Array) return `["${Buffer.from(value).toString("hex")}"]`;
  return String(value);
}

// SQLite does not always read the shortest text of a double back as the same double; 19 digits it does.
function carriedReal(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  return Number.isSafeInteger(value) ? `${value}.0` : value.toExponential(18);
}
