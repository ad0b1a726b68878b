import { TimeSlices, type ReadOptions } from "rowhouse/plugin-api";
import { ROW_SEPARATOR } from "./row-encoding.js";

/** About a millisecond of work. */
const PIECE_CHARACTERS = 262_144;

/**
 * Reads the rows in `texts` with `parse`, in slices: the text of a large result takes hundreds of milliseconds.
 *
 * @param parse reads the rows of one text, between which separators stand
 * @throws QueryInterrupted when the client has left
 */
export async function parseRows<Row>(
  texts: readonly string[],
  parse: (text: string) => Row[],
  { signal }: ReadOptions,
): Promise<Row[]> {
  const [only = ""] = texts;
  if (texts.length === 1 && only.length <= PIECE_CHARACTERS) return parse(only);
  const slices = new TimeSlices({ signal });
  const rows: Row[] = [];
  for (const text of texts) {
    for (const piece of piecesOf(text)) {
      for (const row of parse(piece)) rows.push(row);
      if (slices.isOver) await slices.next();
    }
  }
  return rows;
}

/** The rows of a batch as one text; no text where there are none. */
export const joinRows = (rows: readonly string[]): readonly string[] =>
  rows.length === 0 ? [] : [rows.join(ROW_SEPARATOR)];

/** The text cut at separators, into pieces of at least so many characters. */
function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start <= text.length;) {
    const separator = text.indexOf(ROW_SEPARATOR, start + PIECE_CHARACTERS);
    const end = separator === -1 ? text.length : separator;
    yield text.slice(start, end);
    start = end + 1;
  }
}
