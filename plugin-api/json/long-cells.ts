import type { TimeSlices } from "../http/time-slices.js";
import { base64Json, jsonString } from "./text.js";

/** In characters, bytes, or hexadecimal digits; about a millisecond of work. An even number. */
export const LONG_CELL = 262_144;

/**
 * `jsonString` in time slices: a text of 20 MB takes most of a second.
 *
 * @example
 * await jsonStringInSlices("é", new TimeSlices()); // '"\\u00e9"'
 */
export async function jsonStringInSlices(text: string, slices: TimeSlices): Promise<string> {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; start += LONG_CELL) {
    pieces.push(jsonString(text.slice(start, start + LONG_CELL)).slice(1, -1));
    await slices.nextIfOver();
  }
  return `"${pieces.join("")}"`;
}

/**
 * `blobJson` in time slices.
 *
 * @example
 * await blobJsonInSlices(Buffer.from([0xff]), new TimeSlices()); // '{"$base64": true, "encoded": "/w=="}'
 */
export async function blobJsonInSlices(bytes: Buffer, slices: TimeSlices): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const pieces: string[] = [];
  try {
    for (let start = 0; start < bytes.length; start += LONG_CELL) {
      const end = start + LONG_CELL;
      const text = decoder.decode(bytes.subarray(start, end), { stream: end < bytes.length });
      pieces.push(jsonString(text).slice(1, -1));
      await slices.nextIfOver();
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return base64Json(bytes);
  }
  return `"${pieces.join("")}"`;
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
