import type { Request, RowSet } from "rowhouse/plugin-api";
import { begun, Real, rowKeys } from "rowhouse/plugin-api/engine";
import { joinedInSlices, Labelled, rowPath, type Cell, type RowStream } from "rowhouse/plugin-api/http";
import { jsonString } from "rowhouse/plugin-api/json";
import type { JsonArguments } from "./arguments.js";
import {
  firstValueFrame,
  listFrame,
  objectFrame,
  RowWriter,
  type JsonOfRow,
  type Row,
} from "./row-writer.js";

/**
 * Rows in the default shape: arrays, or objects if any cell of the page has a label. A row with an infinity is always
 * an array, and so are all rows if a column is embedded as JSON.
 */
export function plainRows(rows: RowSet, args: JsonArguments): Iterable<JsonOfRow> {
  if (rows.json !== null) return rows.json;
  const cells = rows.cells ?? [];
  const asObjects =
    cells.some((row) => row.some(isLabelled)) && !rows.columns.some((column) => args.parsed.has(column));
  const writer = new RowWriter(rows.columns, args);
  const list = listFrame(rows.columns);
  const object = objectFrame(rows.columns);
  return mapped(cells, (row) =>
    writer.write(row, asObjects && !(args.infinity === "null" && row.some(isInfinite)) ? object : list),
  );
}

/** Rows as objects. Of equal column names the last value is used. */
export function objectRows(rows: RowSet, args: JsonArguments): Iterable<JsonOfRow> {
  if (rows.json !== null) return rows.json;
  const writer = new RowWriter(rows.columns, args);
  const frame = objectFrame(rows.columns);
  return mapped(rows.cells ?? [], (row) => writer.write(row, frame));
}

/** The first value of each row. */
export function firstValues(rows: RowSet, args: JsonArguments): Iterable<JsonOfRow> {
  const writer = new RowWriter(rows.columns, args);
  const cells = (rows.cells ?? []).filter((row) => row.length > 0);
  return mapped(cells, (row) => writer.write(row, firstValueFrame));
}

/** `"path": {...}` for each row; the path is `None` for a row without one. */
export function keyedRows(rows: RowSet, args: JsonArguments): Iterable<JsonOfRow> {
  const writer = new RowWriter(rows.columns, args);
  const frame = objectFrame(rows.columns);
  const names = rows.paths ?? rowKeys(rows).map((key) => (key === null ? "None" : rowPath(key)));
  return mapped(rows.cells ?? [], (row, index) =>
    writer.write(row, { ...frame, open: `${jsonString(names[index] ?? "None")}: {` }),
  );
}

/** Serializes rows lazily, so that a page of large rows is written in slices. */
function* mapped(rows: readonly Row[], write: (row: Row, index: number) => JsonOfRow): Generator<JsonOfRow> {
  for (const [index, row] of rows.entries()) yield write(row, index);
}

const isLabelled = (cell: Cell): boolean => cell instanceof Labelled;

const isInfinite = (cell: Cell): boolean =>
  cell instanceof Real && !Number.isFinite(cell.value) && !Number.isNaN(cell.value);

/** Rows that are joined at once. To yield each by itself takes longer than to read it. */
const ROWS_AT_ONCE = 20;
/** A long text is not joined with others: to copy megabytes takes longer than a slice. */
const CHARACTERS_AT_ONCE = 65_536;

/** Puts `separator` between texts. */
export function* separated(texts: Iterable<JsonOfRow>, separator: string): Generator<string> {
  if (isTexts(texts)) {
    for (let start = 0, end = 0; start < texts.length; start = end) {
      end = endOfSome(texts, start);
      const joined = texts.slice(start, end).join(separator);
      yield start === 0 ? joined : separator + joined;
    }
    return;
  }
  let before = "";
  for (const text of texts) {
    if (typeof text === "string") {
      yield before + text;
    } else {
      yield before;
      yield* text;
    }
    before = separator;
  }
}

/** True for the rows of an engine, of which each is one text. */
const isTexts = (texts: Iterable<JsonOfRow>): texts is readonly string[] => Array.isArray(texts);

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
export function* enclosed(open: string, members: Iterable<JsonOfRow>, close: string): Generator<string> {
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
