import type { TimeSlices } from "rowhouse/plugin-api/http";
import { blobJsonInSlices, decodeHex, LONG_CELL, type InfinityForm } from "rowhouse/plugin-api/json";
import { MARKS, toWireJson, type JsonBytes } from "./wire-json.js";

/** Completes rows as `toWireJson` does, in time slices: a cell of 20 MB takes most of a second. */
export async function toWireJsonInSlices(
  text: string | JsonBytes,
  infinity: InfinityForm,
  slices: TimeSlices,
): Promise<string> {
  const pieces: string[] = [];
  // Each byte is one character here, so that the places are the same.
  const characters = typeof text === "string" ? text : text.toString("latin1");
  for (const [start, end] of partsOf(characters)) {
    const isLongBlob = characters[start] === MARKS.blob && end - start > LONG_CELL;
    pieces.push(
      isLongBlob
        ? await blobJsonInSlices(await decodeHex(characters, start + 1, end - 1, slices), slices)
        : toWireJson(typeof text === "string" ? text.slice(start, end) : text.subarray(start, end), infinity),
    );
    await slices.nextIfOver();
  }
  return pieces.join("");
}

// oxlint-disable-next-line no-control-regex
const MARK = /[\u0001\u0002]/g;

/** Divides a text into parts of about a piece, none of which ends inside of a character or a marked cell. */
function* partsOf(text: string): Generator<readonly [start: number, end: number]> {
  let marked = nextMarked(text, 0);
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = Math.min(start + LONG_CELL, text.length);
    while (marked.end <= end) marked = nextMarked(text, marked.end);
    if (marked.start === start) end = marked.end;
    else if (marked.start < end) end = marked.start;
    else end = characterStart(text, end);
    yield [start, end];
  }
}

/** Where the next marked cell is. */
function nextMarked(text: string, from: number): { readonly start: number; readonly end: number } {
  MARK.lastIndex = from;
  const mark = MARK.exec(text);
  if (mark === null) return { start: Infinity, end: Infinity };
  return { start: mark.index, end: text.indexOf(mark[0], mark.index + 1) + 1 || text.length };
}

/** The start of the character of UTF-8 that a place is in. A text of characters can be divided there as well. */
function characterStart(bytes: string, at: number): number {
  for (let start = at; start > at - 4; start -= 1) {
    const byte = bytes.charCodeAt(start);
    // False at the end of the text, too.
    if (!(byte >= 0x80 && byte < 0xc0)) return start;
  }
  return at;
}
