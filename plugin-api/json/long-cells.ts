import { isUtf8 } from "node:buffer";
import type { TimeSlices } from "../http/time-slices.js";
import { base64Json, jsonString } from "./text.js";

/** In characters, bytes, or hexadecimal digits; about a millisecond of work. An even number. */
export const LONG_CELL = 262_144;

/**
 * `jsonString` in pieces of about a millisecond: a text of 20 MB takes most of a second.
 *
 * @example
 * [...jsonStringPieces("é")].join(""); // '"\\u00e9"'
 */
export function* jsonStringPieces(text: string): Generator<string, void> {
  yield '"';
  for (let start = 0; start < text.length; start += LONG_CELL) {
    yield jsonString(text.slice(start, start + LONG_CELL)).slice(1, -1);
  }
  yield '"';
}

/**
 * `blobJson` in pieces of about a millisecond.
 *
 * @example
 * [...blobJsonPieces(Buffer.from([0xff]))].join(""); // '{"$base64": true, "encoded": "/w=="}'
 */
export function* blobJsonPieces(bytes: Uint8Array): Generator<string, void> {
  const [start, write, end] = isUtf8(bytes) ? ['"', textWriter(), '"'] : [BASE64_START, base64, BASE64_END];
  yield start;
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE)
    yield write(bytes.subarray(at, at + BYTES_AT_ONCE));
  yield end;
}

/** Three bytes become four characters of base64. */
const BYTES_AT_ONCE = 3 * 65_536;
const BASE64_END = '"}';
const BASE64_START = base64Json(Buffer.alloc(0)).slice(0, -BASE64_END.length);

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");

/** Writes UTF-8 as the inside of a JSON string. A character may begin in one piece and end in the next. */
function textWriter(): (bytes: Uint8Array) => string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return (bytes) => jsonString(decoder.decode(bytes, { stream: true })).slice(1, -1);
}

/**
 * `jsonString` in time slices.
 *
 * @example
 * await jsonStringInSlices("é", new TimeSlices()); // '"\\u00e9"'
 */
export const jsonStringInSlices = (text: string, slices: TimeSlices): Promise<string> =>
  inSlices(jsonStringPieces(text), slices);

/**
 * `blobJson` in time slices.
 *
 * @example
 * await blobJsonInSlices(Buffer.from([0xff]), new TimeSlices()); // '{"$base64": true, "encoded": "/w=="}'
 */
export const blobJsonInSlices = (bytes: Uint8Array, slices: TimeSlices): Promise<string> =>
  inSlices(blobJsonPieces(bytes), slices);

async function inSlices(pieces: Iterable<string>, slices: TimeSlices): Promise<string> {
  const made: string[] = [];
  for (const piece of pieces) {
    made.push(piece);
    await slices.nextIfOver();
  }
  return made.join("");
}

/**
 * The bytes of the hexadecimal digits between two places of a text.
 *
 * @example
 * await decodeHex("\\xff00", 2, 6, new TimeSlices()); // Buffer.from([0xff, 0])
 */
export async function decodeHex(
  text: string,
  start: number,
  end: number,
  slices: TimeSlices,
): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe((end - start) / 2);
  for (let at = start; at < end; at += LONG_CELL) {
    bytes.write(text.slice(at, Math.min(at + LONG_CELL, end)), (at - start) / 2, "hex");
    await slices.nextIfOver();
  }
  return bytes;
}
