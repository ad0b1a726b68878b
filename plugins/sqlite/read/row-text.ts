import { jsonText, type Awaitable, type SqlValue } from "rowhouse/plugin-api";
import { Real, type JsonReadOptions, type ReadOptions } from "rowhouse/plugin-api/engine";
import { TimeSlices } from "rowhouse/plugin-api/http";
import { jsonString, type InfinityForm } from "rowhouse/plugin-api/json";
import { quoteText } from "rowhouse/plugin-api/sql";
import { BLOB_START, decodeText, TEXT_START, withoutLongCells } from "./long-cells.js";
import { toWireJsonInSlices } from "./long-json.js";
import { MARKS, readReal, toWireJson, type JsonBytes } from "./wire-json.js";

/** Separates the rows of one text. */
export const ROW_SEPARATOR = "\u001e";

/** The format of rows: JSON for clients, or typed cells. Exact cells have malformed text as bytes. */
export type RowFormat =
  | { readonly kind: "json"; readonly shape: "arrays" | "objects"; readonly infinity: InfinityForm }
  | { readonly kind: "cells" | "exact cells" };

const CELLS: RowFormat = { kind: "cells" };
const EXACT_CELLS: RowFormat = { kind: "exact cells" };

/** The format of typed cells. */
export const cellsFormat = ({ malformedText }: Pick<ReadOptions, "malformedText">): RowFormat =>
  malformedText === "bytes" ? EXACT_CELLS : CELLS;

/** The format of JSON for clients. */
export const jsonFormat = ({ shape = "arrays", infinity = "null" }: JsonReadOptions): RowFormat => ({
  kind: "json",
  shape,
  infinity,
});

/**
 * An SQL expression for the text of one row: SQLite itself builds the text of rows, in a thread of its pool. The cells have
 * the names of {@link cellNames}.
 */
export function rowText(columns: readonly string[], format: RowFormat): string {
  const [open, close] = BRACKETS[shapeOf(format)];
  return `${quoteText(open)}||${joinedCells(columns, format)}||${quoteText(close)}`;
}

/**
 * An SQL expression for the text of all rows; NULL without rows. The brackets between rows are part of the separator, which
 * saves SQLite from copying each row twice.
 */
export function rowsText(columns: readonly string[], format: RowFormat): string {
  const [open, close] = BRACKETS[shapeOf(format)];
  const separator = quoteText(`${close}${ROW_SEPARATOR}${open}`);
  return `${quoteText(open)}||group_concat(${joinedCells(columns, format)},${separator})||${quoteText(close)}`;
}

const BRACKETS = { arrays: ["[", "]"], objects: ["{", "}"] } as const;

const shapeOf = (format: RowFormat): keyof typeof BRACKETS =>
  format.kind === "json" ? format.shape : "arrays";

function joinedCells(columns: readonly string[], format: RowFormat): string {
  const cells = cellNames(columns);
  if (format.kind === "json")
    return joined(format.shape === "arrays" ? cells.map(wireCell) : objectMembers(cells, columns), ", ");
  return joined(cells.map(format.kind === "cells" ? typedCell : exactCell), ",");
}

// SQLite allows at most 1000 arguments of a function.
const MAX_ARGUMENTS = 900;

function joined(parts: readonly string[], separator: string): string {
  const quoted = quoteText(separator);
  const join = (some: readonly string[]): string => `concat_ws(${quoted},${some.join(",")})`;
  if (parts.length <= MAX_ARGUMENTS) return join(parts);
  const groups: string[] = [];
  for (let start = 0; start < parts.length; start += MAX_ARGUMENTS) {
    groups.push(join(parts.slice(start, start + MAX_ARGUMENTS)));
  }
  return join(groups);
}

/** Of columns with the same name, the last value is kept, at the position of the first. */
function objectMembers(cells: readonly string[], names: readonly string[]): string[] {
  const members = new Map<string, string>();
  names.forEach((name, index) => members.set(name, cells[index] ?? "null"));
  return [...members].map(([name, cell]) => `${quoteText(`${jsonString(name)}: `)}||${wireCell(cell)}`);
}

const wireCell = (cell: string): string =>
  `case typeof(${cell}) when 'text' then json_quote(${cell}) when 'integer' then ${cell} ` +
  `when 'null' then 'null' when 'real' then ${wireReal(cell)} else ${marked(MARKS.blob, `hex(${cell})`)} end`;

/**
 * A number of at most five decimals is the quotient of two integers, which is rounded correctly, so SQLite's own text of it
 * is the shortest. From 1e8, SQLite 3.52 writes many of them with 17 digits, as 1600227281.4512301. These and other numbers
 * are written with all digits, from which `realJson` makes the shortest form: with 17 digits SQLite shortens some numbers to
 * the text of a neighbour (2.6474992999999998 to 2.6474993).
 */
const wireReal = (cell: string): string =>
  `case when round(${cell}*100000.0)/100000.0=${cell} and abs(${cell}) between 1e-4 and 1e8 then ${cell} ` +
  `else ${digits(cell, MARKS.real)} end`;

const marked = (mark: string, text: string): string => `${quoteText(mark)}||${text}||${quoteText(mark)}`;

/** All digits of a REAL between two marks. SQLite prints -0.0 like 0.0. The arc tangent is different for the two. */
const digits = (cell: string, before: string, after = before): string =>
  `case when ${cell}=0.0 and atan2(${cell},-1)<0 then ${quoteText(`${before}-0.0${after}`)} ` +
  `else format(${quoteText(`${before}%!.18g${after}`)},${cell}) end`;

/** JSON that keeps storage classes distinct. `decodeCell` reads it. */
const typedCell = (cell: string): string =>
  `case typeof(${cell}) when 'text' then json_quote(${cell}) when 'integer' then ${typedInteger(cell)} ` +
  `when 'null' then 'null' when 'real' then ${digits(cell, '["', '"]')} ` +
  `else ${quoteText(BLOB_START)}||hex(${cell})||'"}' end`;

/** Text outside of ASCII is written as its bytes, because SQL does not tell whether they are UTF-8. */
const exactCell = (cell: string): string =>
  `case when typeof(${cell})='text' and ${isUtf8Database} and ${isNotAscii(cell)} ` +
  `then ${quoteText(TEXT_START)}||hex(${cell})||'"}' else ${typedCell(cell)} end`;

/** The bytes of text in a database in UTF-16 are those of that encoding. */
const isUtf8Database = "octet_length('a')=1";

/** `length` and `glob` end at U+0000, `octet_length` does not. */
const isNotAscii = (cell: string): string =>
  `(length(${cell})<>octet_length(${cell}) or ${cell} glob '*[^'||char(1)||'-'||char(127)||']*')`;

const typedInteger = (cell: string): string =>
  `case when ${cell} between -9007199254740991 and 9007199254740991 then ${cell} ` +
  `else '{"integer":"'||${cell}||'"}' end`;

/** The rows of a text as JSON for clients. */
export const wireRows = (text: string | JsonBytes, infinity: InfinityForm): string[] =>
  toWireJson(text, infinity).split(ROW_SEPARATOR);

/** A function for `parseRows` that does the same. @param isWireJson the text is complete ASCII and only needs to be split */
export const wireParser =
  (infinity: InfinityForm, isWireJson = false): ParseRows<string> =>
  (text, slices) => {
    if (isWireJson) return (typeof text === "string" ? text : text.toString("latin1")).split(ROW_SEPARATOR);
    if (slices === null || text.length <= 2 * PIECE_CHARACTERS) return wireRows(text, infinity);
    return toWireJsonInSlices(text, infinity, slices).then((complete) => complete.split(ROW_SEPARATOR));
  };

/** A cell as `typedCell` writes it. */
type EncodedCell =
  | null
  | number
  | string
  | readonly [digits: string]
  | { readonly integer: string }
  | { readonly text: string }
  | { readonly blob: string }
  | { readonly long: number };

/** The rows of a text that SQLite built, as typed cells. */
export const typedRows = (text: string | JsonBytes): SqlValue[][] => decodedRows(text.toString(), []);

function decodedRows(text: string, long: readonly SqlValue[]): SqlValue[][] {
  const rows = JSON.parse(`[${text.replaceAll(ROW_SEPARATOR, ",")}]`) as EncodedCell[][];
  return rows.map((row) => row.map((cell) => decodeCell(cell, long)));
}

function decodeCell(cell: EncodedCell, long: readonly SqlValue[]): SqlValue {
  if (typeof cell !== "object" || cell === null) return cell;
  if (isReal(cell)) return new Real(readReal(cell[0]));
  if ("integer" in cell) return BigInt(cell.integer);
  if ("long" in cell) return long[cell.long] ?? null;
  return "text" in cell ? decodeText(Buffer.from(cell.text, "hex")) : Buffer.from(cell.blob, "hex");
}

const isReal = (cell: object): cell is readonly [string] => Array.isArray(cell);

/** About a millisecond of work. */
const PIECE_CHARACTERS = 262_144;

/** Reads all rows of a text. @param slices null for a short text */
type ParseRows<Row> = (text: string | JsonBytes, slices: TimeSlices | null) => Awaitable<Row[]>;

/**
 * Parses the rows of texts in time slices, because the text of a large result takes hundreds of milliseconds.
 *
 * @throws QueryInterrupted if the client has closed its connection
 */
export function parseRows<Row>(
  texts: readonly (string | JsonBytes)[],
  parse: ParseRows<Row>,
  options: ReadOptions,
): Awaitable<Row[]> {
  const [only = ""] = texts;
  const isShort = texts.length === 1 && only.length <= PIECE_CHARACTERS;
  return isShort ? parse(only, null) : parseInSlices(texts, parse, options);
}

async function parseInSlices<Row>(
  texts: readonly (string | JsonBytes)[],
  parse: ParseRows<Row>,
  { signal }: ReadOptions,
): Promise<Row[]> {
  const slices = new TimeSlices({ signal });
  const rows: Row[] = [];
  for (const text of texts) {
    for (const piece of piecesOf(text)) {
      for (const row of await parse(piece, slices)) rows.push(row);
      if (slices.isOver) await slices.next();
    }
  }
  return rows;
}

/**
 * Parses the rows of texts as typed cells, in time slices.
 *
 * @throws QueryInterrupted if the client has closed its connection
 */
export async function parseTypedRows(
  texts: readonly (string | JsonBytes)[],
  options: ReadOptions,
): Promise<SqlValue[][]> {
  if (texts.every(({ length }) => length <= PIECE_CHARACTERS)) return parseRows(texts, typedRows, options);
  const slices = new TimeSlices(options);
  const long: SqlValue[] = [];
  const shorter: string[] = [];
  for (const text of texts) {
    for (const piece of piecesOf(text)) {
      shorter.push(await withoutLongCells(piece.toString(), long, slices));
      await slices.nextIfOver();
    }
  }
  return parseRows(shorter, (text) => decodedRows(text.toString(), long), options);
}

/** The rows of a batch as one text; no text if there are no rows. */
export const joinRows = (rows: readonly string[]): readonly string[] =>
  rows.length === 0 ? [] : [rows.join(ROW_SEPARATOR)];

/** The text, split at separators into pieces of at least `PIECE_CHARACTERS`. */
function* piecesOf(text: string | JsonBytes): Generator<string | JsonBytes> {
  for (let start = 0; start <= text.length;) {
    const separator = text.indexOf(ROW_SEPARATOR, start + PIECE_CHARACTERS);
    const end = separator === -1 ? text.length : separator;
    yield typeof text === "string" ? text.slice(start, end) : text.subarray(start, end);
    start = end + 1;
  }
}

/** `c0`, `c1`, ...: names for the cells of a statement, whatever names the statement gives them. */
export const cellNames = (columns: readonly string[]): string[] => columns.map((_, index) => `c${index}`);

/** A row of typed cells as JSON for clients. */
export function jsonRow(
  row: readonly SqlValue[],
  columns: readonly string[],
  { shape = "arrays", infinity = "null" }: JsonReadOptions,
): string {
  if (shape === "arrays") return jsonText(row, infinity);
  return jsonText(new Map(columns.map((column, index) => [column, row[index] ?? null])), infinity);
}
