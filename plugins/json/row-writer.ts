import { jsonText, type SqlValue } from "rowhouse/plugin-api";
import { Labelled, type Cell } from "rowhouse/plugin-api/http";
import { blobJsonPieces, jsonString, jsonStringPieces } from "rowhouse/plugin-api/json";
import type { JsonArguments } from "./arguments.js";
import { rewrittenJson } from "./stored-json.js";

export type Row = readonly Cell[];

/** The JSON text of a row or value: in pieces if it is long, because a text of megabytes takes longer than a slice. */
export type JsonOfRow = string | Iterable<string>;

/** What is written around the cells of each row: `members` are the places of the cells, and the text before each. */
export interface RowFrame {
  readonly open: string;
  readonly members: readonly { readonly start: string; readonly place: number }[];
  readonly close: string;
}

/** A row as a list of its values. */
export const listFrame = (columns: readonly string[]): RowFrame => ({
  open: "[",
  members: columns.map((_, place) => ({ start: "", place })),
  close: "]",
});

/** A row as an object. Of equal column names the last value is used, at the position of the first. */
export function objectFrame(columns: readonly string[]): RowFrame {
  const places = new Map(columns.map((column, place) => [column, place]));
  const members = Array.from(places, ([column, place]) => ({ start: `${jsonString(column)}: `, place }));
  return { open: "{", members, close: "}" };
}

/** Only the first value of a row. */
export const firstValueFrame: RowFrame = { open: "", members: [{ start: "", place: 0 }], close: "" };

/** Characters and bytes of a row that are written at once. */
const SHORT_ROW = 65_536;

/** Writes the rows of a page. */
export class RowWriter {
  /** By the place of the column: true if its JSON texts are embedded. */
  readonly #parsed: readonly boolean[];

  constructor(
    columns: readonly string[],
    private readonly args: JsonArguments,
  ) {
    this.#parsed = columns.map((column) => args.parsed.has(column));
  }

  write(row: Row, frame: RowFrame): JsonOfRow {
    if (lengthOf(row) > SHORT_ROW) return this.#pieces(row, frame);
    const texts = frame.members.map(({ start, place }) => start + this.#cell(row[place] ?? null, place));
    return frame.open + texts.join(", ") + frame.close;
  }

  *#pieces(row: Row, { open, members, close }: RowFrame): Generator<string, void> {
    let before = open;
    for (const { start, place } of members) {
      yield before + start;
      yield* this.#cellPieces(row[place] ?? null, place);
      before = ", ";
    }
    yield close;
  }

  #cell(cell: Cell, place: number): string {
    if (cell instanceof Labelled) {
      return `{"value": ${this.#value(cell.value)}, "label": ${this.#value(cell.label)}}`;
    }
    const embedded = this.#embedded(cell, place);
    return embedded === null ? this.#value(cell) : Array.from(embedded).join("");
  }

  #cellPieces(cell: Cell, place: number): Iterable<string> {
    const embedded = this.#embedded(cell, place);
    if (embedded !== null) return embedded;
    if (typeof cell === "string") return jsonStringPieces(cell);
    return cell instanceof Uint8Array ? blobJsonPieces(cell) : [this.#cell(cell, place)];
  }

  /** The JSON that a cell contains, if it is embedded. */
  #embedded(cell: Cell, place: number): Iterable<string> | null {
    return this.#parsed[place] === true && typeof cell === "string" ? rewrittenJson(cell, this.args) : null;
  }

  #value(value: SqlValue): string {
    const { bigintText, infinity } = this.args;
    return bigintText && typeof value === "bigint" ? `"${value}"` : jsonText(value, infinity);
  }
}

function lengthOf(row: Row): number {
  let length = 0;
  for (const cell of row) {
    if (typeof cell === "string" || cell instanceof Uint8Array) length += cell.length;
  }
  return length;
}
