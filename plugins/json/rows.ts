import {
  Labelled,
  Real,
  jsonString,
  jsonText,
  rowKeys,
  rowPath,
  begun,
  joinedInSlices,
} from "rowhouse/plugin-api";
import type { Cell, RowSet, SqlValue, Request, RowStream } from "rowhouse/plugin-api";
import type { JsonArguments } from "./arguments.js";
import { rewriteJson } from "./stored-json.js";

type Row = readonly Cell[];

/**
 * Rows as the default shape shows them: arrays, but objects as soon as any cell of the page has a label.
 * A row that holds an infinity stays an array, and so do all rows when a column is read as JSON.
 */
export function plainRows(rows: RowSet, asked: JsonArguments): Iterable<string> {
  if (rows.json !== null) return rows.json;
  const cells = rows.cells ?? [];
  const asObjects =
    cells.some((row) => row.some(isLabelled)) && !rows.columns.some((column) => asked.parsed.has(column));
  const write = cellWriter(rows.columns, asked);
  const writeObject = objectWriter(rows.columns, asked);
  return mapped(cells, (row) =>
    asObjects && !(asked.infinity === "null" && row.some(isInfinite))
      ? writeObject(row)
      : `[${row.map(write).join(", ")}]`,
  );
}

/** Rows as objects; of equal column names the last value stays. */
export function objectRows(rows: RowSet, asked: JsonArguments): Iterable<string> {
  if (rows.json !== null) return rows.json;
  const write = objectWriter(rows.columns, asked);
  return mapped(rows.cells ?? [], (row) => write(row));
}

/** The first value of each row. */
export function firstValues(rows: RowSet, asked: JsonArguments): Iterable<string> {
  const write = cellWriter(rows.columns, asked);
  return mapped(
    (rows.cells ?? []).filter((row) => row.length > 0),
    (row) => write(row[0] ?? null, 0),
  );
}

/** `"path": {...}` for each row; a row that has no path is called `None`. */
export function keyedRows(rows: RowSet, asked: JsonArguments): Iterable<string> {
  const write = objectWriter(rows.columns, asked);
  const names = rows.paths ?? rowKeys(rows).map((key) => (key === null ? "None" : rowPath(key)));
  return mapped(rows.cells ?? [], (row, index) => `${jsonString(names[index] ?? "None")}: ${write(row)}`);
}

/** The text of each row is made when it is asked for: a page of large rows is written in slices. */
function* mapped(rows: readonly Row[], write: (row: Row, index: number) => string): Generator<string> {
  for (const [index, row] of rows.entries()) yield write(row, index);
}

type WriteCell = (cell: Cell, place: number) => string;

function cellWriter(columns: readonly string[], asked: JsonArguments): WriteCell {
  const parsed = columns.map((column) => asked.parsed.has(column));
  return (cell, place) => {
    if (cell instanceof Labelled) {
      return `{"value": ${valueText(cell.value, asked)}, "label": ${valueText(cell.label, asked)}}`;
    }
    if (parsed[place] === true && typeof cell === "string") {
      return rewriteJson(cell, asked.infinity) ?? jsonString(cell);
    }
    return valueText(cell, asked);
  };
}

const valueText = (value: SqlValue, { bigintText, infinity }: JsonArguments): string =>
  bigintText && typeof value === "bigint" ? `"${value}"` : jsonText(value, infinity);

/** Writes a row as an object: of equal column names the last value stays, at the place of the first. */
function objectWriter(columns: readonly string[], asked: JsonArguments): (row: Row) => string {
  const write = cellWriter(columns, asked);
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

/** The texts with `separator` between them, each ready to be sent. */
export function* separated(texts: Iterable<string>, separator: string): Generator<string> {
  let isFirst = true;
  for (const text of texts) {
    yield isFirst ? text : separator + text;
    isFirst = false;
  }
}

/** A list or an object: `open`, the members with commas between them, `close`. */
export function* enclosed(open: string, members: Iterable<string>, close: string): Generator<string> {
  yield open;
  yield* separated(members, ", ");
  yield close;
}

type Client = Pick<Request, "signal">;

/** One object a line, as they are read: the same text as without streaming, however many rows there are. */
export async function streamedLines(
  stream: RowStream,
  asked: JsonArguments,
  client: Client,
): Promise<AsyncIterable<string>> {
  return joined(await begun(stream.batches), asked, client);
}

async function* joined(
  batches: AsyncIterable<RowSet>,
  asked: JsonArguments,
  client: Client,
): AsyncGenerator<string> {
  let isFirst = true;
  for await (const rows of batches) {
    const lines = await joinedInSlices(separated(objectRows(rows, asked), "\n"), client);
    if (lines === "") continue;
    yield isFirst ? lines : `\n${lines}`;
    isFirst = false;
  }
}
