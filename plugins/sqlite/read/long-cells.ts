import { isUtf8 } from "node:buffer";
import type { SqlValue } from "rowhouse/plugin-api";
import { TextBytes } from "rowhouse/plugin-api/engine";
import type { TimeSlices } from "rowhouse/plugin-api/http";
import { decodeHex, LONG_CELL } from "rowhouse/plugin-api/json";

/** How a typed cell begins that is a BLOB. A text cannot contain this: JSON escapes its quotation marks. */
export const BLOB_START = '{"blob":"';
/** How a typed cell begins that is the bytes of a text. */
export const TEXT_START = '{"text":"';

/**
 * Replaces long BLOBs and bytes of texts in a text of typed cells by `{"long":0}`, `{"long":1}`, ..., their positions in
 * `values`. To parse and decode them takes 8 ms for each megabyte, so they are decoded in time slices.
 */
export async function withoutLongCells(
  text: string,
  values: SqlValue[],
  slices: TimeSlices,
): Promise<string> {
  let kept = "";
  let keptUntil = 0;
  for (const { 0: opening, index: start } of text.matchAll(STARTS)) {
    const first = start + opening.length;
    const end = text.indexOf('"', first);
    if (end - first <= LONG_CELL) continue;
    kept += `${text.slice(keptUntil, start)}{"long":${values.length}}`;
    const bytes = await decodeHex(text, first, end, slices);
    values.push(opening === TEXT_START ? decodeText(bytes) : bytes);
    keptUntil = end + '"}'.length;
  }
  return kept + text.slice(keptUntil);
}

const STARTS = new RegExp(`${BLOB_START}|${TEXT_START}`, "g");

/** The text of these bytes, or the bytes if they are not UTF-8. */
export const decodeText = (bytes: Buffer): string | TextBytes =>
  isUtf8(bytes) ? bytes.toString("utf8") : new TextBytes(bytes);
