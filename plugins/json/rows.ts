import { jsonText, type Request, type RowSet, type SqlValue } from "rowhouse/plugin-api";
import { begun, Real, rowKeys } from "rowhouse/plugin-api/engine";
import { joinedInSlices, Labelled, rowPath, type Cell, type RowStream } from "rowhouse/plugin-api/http";
import { jsonString } from "rowhouse/plugin-api/json";
import type { JsonArguments } from "./arguments.js";
import { rewriteJson } from "./stored-json.js";

type Row = readonly Cell[];

/**
 * Rows in the default shape: arrays, or objects if any cell of the page has a label. A row with an infinity is always
 * an array, and so are all rows if a column is embedded as JSON.
 */
export function plainRows(rows: RowSet, args: JsonArguments): Iterable<string> {
  if (rows.json !== null) return rows.json;
  const cells = rows.cells ?? [];
  const asObjects =
    cells.some((row) => row.some(isLabelled)) && !rows.columns.some((column) => args.parsed.has(column));
  const write = cellWriter(rows.columns, args);
  const writeObject = objectWriter(rows.columns, args);
  return mapped(cells, (row) =>
    asObjects && !(args.infinity === "null" && row.some(isInfinite))
      ? writeObject(row)
      : `[${row.map(write).join(", ")}]`,
  );
}

/** Rows as objects. Of equal column names the last value is used. */
export function objectRows(rows: RowSet, args: JsonArguments): Iterable<string> {
  if (rows.json !== null) return rows.json;
  const write = objectWriter(rows.columns, args);
  return mapped(rows.cells ?? [], (row) => write(row));
}

/** The first value of each row. */
export function firstValues(rows: RowSet, args: JsonArguments): Iterable<string> {
  const write = cellWriter(rows.columns, args);
  return mapped(
    (rows.cells ?? []).filter((row) => row.length > 0),
    (row) => write(row[0] ?? null, 0),
  );
}

/** `"path": {...}` for each row; the path is `None` for a row without one. */
export function keyedRows(rows: RowSet, args: JsonArguments): Iterable<string> {
  const write = objectWriter(rows.columns, args);
  const names = rows.paths ?? rowKeys(rows).map((key) => (key === null ? "None" : rowPath(key)));
  return mapped(rows.cells ?? [], (row, index) => `${jsonString(names[index] ?? "None")}: ${write(row)}`);
}

/** Serializes rows lazily, so that a page of large rows is written in slices. */
function* mapped(rows: readonly Row[], write: (row: Row, index: number) => string): Generator<string> {
  for (const [index, row] of rows.entries()) yield write(row, index);
}

type WriteCell = (cell: Cell, place: number) => string;

function cellWriter(columns: readonly string[], args: JsonArguments): WriteCell {
  const parsed = columns.map((column) => args.parsed.has(column));
  return (cell, place) => {
    if (cell instanceof Labelled) {
      return `{"value": ${valueText(cell.value, args)}, "label": ${valueText(cell.label, args)}}`;
    }
    if (parsed[place] === true && typeof cell === "string") {
      return rewriteJson(cell, args) ?? jsonString(cell);
    }
    return valueText(cell, args);
  };
}

const valueText = (value: SqlValue, { bigintText, infinity }: JsonArguments): string =>
  bigintText && typeof value === "bigint" ? `"${value}"` : jsonText(value, infinity);

/** Writes a row as an object. Of equal column names the last value is used, at the position of the first. */
function objectWriter(columns: readonly string[], args: JsonArguments): (row: Row) => string {
  const write = cellWriter(columns, args);
  const places = new Map(columns.map((column, place) => [column, place]));
  const members = Array.from(places, ([column, place]) => ({ start: `${jsonString(column)}: `, place }));
  return (row) => {
    const texts = members.map(({ start, place }) => start + write(row[place] ?? null, place));
    return `{${texts.join(", ")}}`;
  };
}

const isLabelled = (cell: Cell): boolean => cell instanceof Labelled;

const isInfinite = (cell: Cell): boolean =>
  cell instanceof Real && !Number.isFinite(cell.value) && !Number.isNaN(cell.value);

/** Rows that are joined at once. To yield each by itself takes longer than to read it. */
const ROWS_AT_ONCE = 20;
/** A long text is not joined with others: to copy megabytes takes longer than a slice. */
const CHARACTERS_AT_ONCE = 65_536;

/** Puts `separator` between texts. */
export function* separated(texts: Iterable<string>, separator: string): Generator<string> {
  if (Array.isArray(texts)) {
    for (let start = 0, end = 0; start < texts.length; start = end) {
      end = endOfSome(texts, start);
      const joined = texts.slice(start, end).join(separator);
      yield start === 0 ? joined : separator + joined;
    }
    return;
  }
  let isFirst = true;
  for (const text of texts) {
    yield isFirst ? text : separator + text;
    isFirst = false;
  }
}

/** The end of the texts from `start` on that are joined at once: at least one. */
function endOfSome(texts: readonly string[], start: number): number {
  const last = Math.min(texts.length, start + ROWS_AT_ONCE);
  let end = start;
  let characters = 0;
  do {
    characters += texts[end]?.length ?? 0;
    end += 1;
  } while (end < last && characters + (texts[end]?.length ?? 0) <= CHARACTERS_AT_ONCE);
  return end;
}

/** A JSON list or object: `open`, the members separated by commas, `close`. */
export function* enclosed(open: string, members: Iterable<string>, close: string): Generator<string> {
  yield open;
  yield* separated(members, ", ");
  yield close;
}

type Client = Pick<Request, "signal">;

/** Streams one object per line while rows are read. The text is the same as without streaming. */
export async function streamedLines(
  stream: RowStream,
  args: JsonArguments,
  client: Client,
): Promise<AsyncIterable<string>> {
  return joined(await begun(stream.batches), args, client);
}

async function* joined(
  batches: AsyncIterable<RowSet>,
  args: JsonArguments,
  client: Client,
): AsyncGenerator<string> {
  let isFirst = true;
  for await (const rows of batches) {
    const lines = await joinedInSlices(separated(objectRows(rows, args), "\n"), client);
    if (lines === "") continue;
    yield isFirst ? lines : `\n${lines}`;
    isFirst = false;
  }
}
