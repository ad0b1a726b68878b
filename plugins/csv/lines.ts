import { createHash } from "node:crypto";
import { begun, plainValue, rowPaths } from "rowhouse/plugin-api/engine";
import { Labelled, formEncode, queryString, type RowStream, type Cell } from "rowhouse/plugin-api/http";
import type { Page, RowSet, Visit, SqlValue } from "rowhouse/plugin-api";

/** The lines of one page. The header is first unless `_header=off`. */
export function* pageLines({ rows, data }: Page, visit: Visit): Generator<string> {
  if (rows === undefined) return;
  const expanded = data["expanded_columns"];
  const labelled = new Set<string>(Array.isArray(expanded) ? expanded : []);
  const columns = { columns: rows.columns, labelled };
  yield* heading(columns, visit);
  yield* batchLines(columns, rows, visit);
}

/**
 * Streams the lines of a whole result. Resolves after the first batch has been read, so that an error of the query
 * still becomes an error reply.
 */
export async function streamLines(stream: RowStream, visit: Visit): Promise<AsyncIterable<Iterable<string>>> {
  const columns = { columns: stream.columns, labelled: new Set(stream.labelled) };
  return headingAndBatches(columns, await begun(stream.batches), visit);
}

async function* headingAndBatches(columns: CsvColumns, batches: AsyncIterable<RowSet>, visit: Visit) {
  yield heading(columns, visit);
  for await (const rows of batches) yield batchLines(columns, rows, visit);
}

const heading = (columns: CsvColumns, { request }: Visit): readonly string[] =>
  request.query.get("_header") === "off" ? [] : [headingLine(columns)];

function* batchLines(columns: CsvColumns, rows: RowSet, visit: Visit): Generator<string> {
  const link = blobLinks(visit, rows);
  for (const [index, cells] of (rows.cells ?? []).entries()) yield rowLine(columns, cells, index, link);
}

/** Makes the URL of the bytes in a cell. */
export type BlobLink = (bytes: Uint8Array, column: string, row: number) => string;

export interface CsvColumns {
  readonly columns: readonly string[];
  /** Columns that are followed by a column of labels. */
  readonly labelled: ReadonlySet<string>;
}

/** The header line. */
export const headingLine = ({ columns, labelled }: CsvColumns): string =>
  csvLine(columns.flatMap((column) => (labelled.has(column) ? [column, `${column}_label`] : [column])));

/** One row as a line; `row` counts from 0 within its batch. */
export function rowLine(
  { columns, labelled }: CsvColumns,
  cells: readonly Cell[],
  row: number,
  link: BlobLink,
) {
  const fields: string[] = [];
  columns.forEach((column, place) => {
    const cell = cells[place] ?? null;
    fields.push(fieldText(plainValue(cell), (bytes) => link(bytes, column, row)));
    if (labelled.has(column)) fields.push(cell instanceof Labelled ? labelText(cell.label) : "");
  });
  return csvLine(fields);
}

function fieldText(value: SqlValue, link: (bytes: Uint8Array) => string): string {
  if (value === null) return "";
  return value instanceof Uint8Array ? link(value) : String(value);
}

const labelText = (label: SqlValue): string =>
  fieldText(label, (bytes) => Buffer.from(bytes).toString("utf8"));

// A single empty field is quoted, because CSV readers skip empty lines.
const csvLine = (fields: readonly string[]): string =>
  fields.length === 1 && fields[0] === "" ? '""\r\n' : `${fields.map(quoted).join(",")}\r\n`;

const NEEDS_QUOTES = /[",\r\n]/;

/** In characters. */
const LONG_FIELD = 65_536;

function quoted(field: string): string {
  if (!NEEDS_QUOTES.test(field)) return field;
  if (!field.includes('"')) return `"${field}"`;
  return `"${field.length < LONG_FIELD ? field.replaceAll('"', '""') : withDoubledQuotes(field)}"`;
}

const QUOTE = 0x22;

/** `replaceAll` takes most of a second for millions of quotes. A field has valid Unicode, which bytes keep. */
function withDoubledQuotes(field: string): string {
  const bytes = Buffer.from(field, "utf8");
  const doubled = Buffer.allocUnsafe(2 * bytes.length);
  let length = 0;
  for (const byte of bytes) {
    doubled[length++] = byte;
    if (byte === QUOTE) doubled[length++] = QUOTE;
  }
  return doubled.toString("utf8", 0, length);
}

/** Links to bytes in `rows`: by row path if the row has one, else by the same query with a hash. */
function blobLinks(visit: Visit, rows: RowSet): BlobLink {
  const { rowhouse, request, target } = visit;
  // Computed on first use, because most exports contain no bytes.
  let paths: readonly (string | null)[] | undefined;
  return (bytes, column, row) => {
    paths ??= rowPaths(rows);
    const path = paths[row] ?? null;
    if (path === null || (target.kind !== "table" && target.kind !== "row")) {
      return linkByHash(visit, bytes, column);
    }
    const address = rowhouse.urls.row(target.database.name, target.table.name, path, "blob");
    return `${rowhouse.urls.absolute(request, address)}?_blob_column=${formEncode(column)}`;
  };
}

function linkByHash({ rowhouse, request, basePath }: Visit, bytes: Uint8Array, column: string): string {
  const hash = createHash("sha256").update(bytes).digest("hex");
  const address = rowhouse.urls.absolute(request, rowhouse.urls.path(`${basePath}.blob`));
  const prefix = request.queryString === "" ? "" : `${request.queryString}&`;
  return `${address}?${prefix}${queryString([
    ["_blob_column", column],
    ["_blob_hash", hash],
  ])}`;
}
