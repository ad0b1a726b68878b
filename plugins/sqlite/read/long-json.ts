import { isUtf8 } from "node:buffer";
import type { TimeSlices } from "rowhouse/plugin-api/http";
import { jsonString, type InfinityForm } from "rowhouse/plugin-api/json";
import { decodeHex } from "./long-blobs.js";
import { MARKS, toWireJson, type JsonBytes } from "./wire-json.js";

/** In characters, or bytes; about a millisecond of work. */
const PIECE = 262_144;

/** Completes rows as `toWireJson` does, in time slices: a cell of 20 MB takes most of a second. */
export async function toWireJsonInSlices(
  text: string | JsonBytes,
  infinity: InfinityForm,
  slices: TimeSlices,
): Promise<string> {
  const pieces: string[] = [];
  // Each byte is one character here, so that the places are the same.
  const characters = typeof text === "string" ? text : text.toString("latin1");
  for (const [start, end] of partsOf(characters, typeof text !== "string")) {
    const isLongBlob = characters[start] === MARKS.blob && end - start > PIECE;
    pieces.push(
      isLongBlob
        ? await longBlobJson(await decodeHex(characters, start + 1, end - 1, slices), slices)
        : toWireJson(typeof text === "string" ? text.slice(start, end) : text.subarray(start, end), infinity),
    );
    await slices.nextIfOver();
  }
  return pieces.join("");
}

// oxlint-disable-next-line no-control-regex
const MARK = /[\u0001\u0002]/g;

/** Divides a text into parts of about a piece, none of which ends inside of a character or a marked cell. */
function* partsOf(text: string, isBytes: boolean): Generator<readonly [start: number, end: number]> {
  let marked = nextMarked(text, 0);
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = Math.min(start + PIECE, text.length);
    while (marked.end <= end) marked = nextMarked(text, marked.end);
    if (marked.start === start) end = marked.end;
    else if (marked.start < end) end = marked.start;
    else if (isBytes) end = characterStart(text, end);
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

/** The start of the character of UTF-8 that a place is in. */
function characterStart(bytes: string, at: number): number {
  for (let start = at; start > at - 4; start -= 1) {
    const byte = bytes.charCodeAt(start);
    // False at the end of the text, too.
    if (!(byte >= 0x80 && byte < 0xc0)) return start;
  }
  return at;
}

async function longBlobJson(bytes: Buffer, slices: TimeSlices): Promise<string> {
  const isText = isUtf8(bytes);
  await slices.nextIfOver();
  if (!isText) return `{"$base64": true, "encoded": "${bytes.toString("base64")}"}`;
  const text = bytes.toString("utf8");
  const pieces: string[] = [];
  for (let start = 0; start < text.length; start += PIECE) {
    pieces.push(jsonString(text.slice(start, start + PIECE)).slice(1, -1));
    await slices.nextIfOver();
  }
  return `"${pieces.join("")}"`;
}
