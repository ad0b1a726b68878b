import { WriteRejected } from "rowhouse/plugin-api";
import { CsvRecords, InvalidCsv, type CsvRecord } from "rowhouse/plugin-api/csv";
import { Real } from "rowhouse/plugin-api/engine";
import { TimeSlices } from "rowhouse/plugin-api/http";
import type { JsonObject, JsonValue } from "rowhouse/plugin-api/json";
import { parseJson, parseJsonInSlices } from "../json/body.js";
import {
  isObject,
  isList,
  plainForms,
  requireFewColumns,
  rowValuesInSlices,
  type FormOf,
  type RowValues,
} from "../json/cell-values.js";

/**
 * One parsed row, or the reason why it could not be parsed. `line` is null for formats without line numbers; `values`
 * are those of a long row, which is converted in slices.
 */
export type ParsedRow =
  | { readonly line: number | null; readonly row: JsonObject; readonly values?: RowValues }
  | { readonly line: number | null; readonly problem: string };

/** In characters. Rows of one digit are 8,192 in a piece, whose steps take a few milliseconds each. */
const PIECE_LENGTH = 16_384;

/** The rows of a body, in small chunks. */
export type RowSource = AsyncIterable<readonly ParsedRow[]>;

/** How values separated by a delimiter are read. */
export interface CsvOptions {
  /** One character. */
  readonly delimiter: string;
  /** True if the first line has the names of the columns. */
  readonly header: boolean;
  /** Called with the names of the columns before the first row. */
  readonly onNames?: (names: readonly string[]) => void;
}

/**
 * Parses values separated by a delimiter. An empty field is NULL, a quoted empty field (`""`) is an empty text.
 *
 * @param columns the names of the columns of a text without header; null for `column_1`, `column_2` and so on
 * @param formOf tells in which columns `inf` and `-inf` are numbers, as exports have them
 * @throws WriteRejected for invalid CSV, and for missing, duplicate or too many column names
 */
export async function* csvRows(
  text: AsyncIterable<string>,
  { delimiter, header, onNames }: CsvOptions,
  columns: readonly string[] | null = null,
  formOf = plainForms,
): RowSource {
  const slices = new TimeSlices();
  let names: readonly string[] | null = null;
  for await (const records of recordsOf(text, delimiter)) {
    await slices.nextIfOver();
    const [first, ...rest] = records;
    if (first === undefined) continue;
    const isHeader: boolean = header && names === null;
    if (names === null) {
      names = header
        ? columnNames(first)
        : (columns ?? first.fields.map((_, index) => `column_${index + 1}`));
      onNames?.(names);
    }
    yield (isHeader ? rest : records).map(rowReader(names, formOf));
  }
  if (names === null && header) throw new WriteRejected(["Invalid CSV: there is no line of column names"]);
}

async function* recordsOf(
  text: AsyncIterable<string>,
  delimiter: string,
): AsyncIterable<readonly CsvRecord[]> {
  const records = new CsvRecords(delimiter);
  try {
    for await (const piece of text) {
      for (let at = 0; at < piece.length; at += PIECE_LENGTH)
        yield records.add(piece.slice(at, at + PIECE_LENGTH));
    }
    yield records.end();
  } catch (error) {
    throw error instanceof InvalidCsv ? new WriteRejected([`Invalid CSV: ${error.message}`]) : error;
  }
}

function columnNames({ fields }: CsvRecord): readonly string[] {
  requireFewColumns(fields.length);
  const names = fields.map((name) => name ?? "");
  if (names.includes("")) throw new WriteRejected(["Column name is required"]);
  const seen = new Set<string>();
  const repeated = names.find((name) => seen.size === seen.add(name).size);
  if (repeated !== undefined) throw new WriteRejected([`Duplicate column name: ${repeated}`]);
  return names;
}

const rowReader =
  (names: readonly string[], formOf: FormOf) =>
  ({ line, fields }: CsvRecord): ParsedRow => {
    if (fields.length !== names.length) {
      return { line, problem: `has ${fields.length} fields, not ${names.length}` };
    }
    const row = new Map<string, string | Real | null>();
    for (const [index, name] of names.entries()) {
      const field = fields[index] ?? null;
      const infinity = INFINITIES.get(field);
      row.set(name, infinity !== undefined && formOf(name) === "double" ? infinity : field);
    }
    return { line, row };
  };

const INFINITIES: ReadonlyMap<string | null, Real> = new Map([
  ["inf", new Real(Infinity)],
  ["-inf", new Real(-Infinity)],
]);

/** In characters. */
const MAX_LINE_LENGTH = 16 * 1024 * 1024;
/** In characters. Longer lines are parsed in slices. */
const LONG_LINE = 50_000;

/** Parses one JSON object per line. Empty lines are skipped. @throws WriteRejected for a line that is too long */
export async function* ndjsonRows(text: AsyncIterable<string>, formOf: FormOf): RowSource {
  const slices = new TimeSlices();
  let number = 0;
  for await (const lines of linesOf(text)) {
    const rows: ParsedRow[] = [];
    for (const line of lines) {
      if (slices.isOver) await slices.next();
      number += 1;
      if (line.trim() !== "")
        rows.push(
          line.length < LONG_LINE ? parseLine(line, number) : await parseLongLine(line, number, formOf),
        );
    }
    yield rows;
  }
}

async function* linesOf(text: AsyncIterable<string>): AsyncIterable<readonly string[]> {
  let rest = "";
  for await (const piece of text) {
    // Of a long line only the new piece is searched.
    const lines = piece.includes("\n") ? (rest + piece).split("\n") : [rest + piece];
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE_LENGTH) throw new WriteRejected(["A line is longer than 16777216 characters"]);
    if (lines.length > 0) yield lines;
  }
  if (rest !== "") yield [rest];
}

function parseLine(text: string, line: number): ParsedRow {
  try {
    return parsedRow(parseJson(text), line);
  } catch (error) {
    return { line, problem: problemOf(error) };
  }
}

async function parseLongLine(text: string, line: number, formOf: FormOf): Promise<ParsedRow> {
  try {
    const parsed = parsedRow(await parseJsonInSlices(text, {}), line);
    if (!("row" in parsed)) return parsed;
    const [values = new Map()] = await rowValuesInSlices([parsed.row], {}, formOf);
    return { ...parsed, values };
  } catch (error) {
    return { line, problem: problemOf(error) };
  }
}

const parsedRow = (row: JsonValue, line: number): ParsedRow =>
  isObject(row) ? { line, row } : { line, problem: "must be a dictionary" };

function problemOf(error: unknown): string {
  if (!(error instanceof WriteRejected)) throw error;
  // The parser only sees this line, so its line number is always 1.
  return error.message.replace(/: line 1 (column \d+) \(char \d+\)$/, ": $1");
}

const ROWS_PER_CHUNK = 500;

/** Parses a JSON list of objects, a single object, or the features of GeoJSON. Holds the whole text in memory. @throws WriteRejected */
export async function* jsonRows(text: AsyncIterable<string>): RowSource {
  const pieces: string[] = [];
  for await (const piece of text) pieces.push(piece);
  const document = await parseJsonInSlices(pieces.join(""), {});
  const rows = isObject(document) ? (featureRows(document) ?? [document]) : document;
  if (!isList(rows)) throw new WriteRejected(["JSON must be a list of dictionaries, or a dictionary"]);
  for (let at = 0; at < rows.length; at += ROWS_PER_CHUNK) {
    // The JSON parser reports no line numbers; messages name the index of the row.
    yield rows
      .slice(at, at + ROWS_PER_CHUNK)
      .map((row): ParsedRow =>
        isObject(row) ? { line: null, row } : { line: null, problem: "must be a dictionary" },
      );
  }
}

/** The features of a GeoJSON collection as rows; null for any other object. */
function featureRows(document: JsonObject): readonly JsonValue[] | null {
  const features = document.get("features");
  if (document.get("type") !== "FeatureCollection" || !isList(features)) return null;
  return features.map((feature) => (isObject(feature) ? featureRow(feature) : feature));
}

/** Of equal names, the last is kept. */
function featureRow(feature: JsonObject): JsonObject {
  const id = feature.get("id");
  const properties = feature.get("properties");
  return new Map([
    ...(id === undefined ? [] : [["id", id] as const]),
    ...(isObject(properties) ? properties : []),
    ["geometry", feature.get("geometry") ?? null],
  ]);
}
