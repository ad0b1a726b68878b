import type { TimeSlices } from "rowhouse/plugin-api/http";
import { decodeHex, LONG_CELL } from "rowhouse/plugin-api/json";

/** How a typed cell begins that is a BLOB. A text cannot contain this: JSON escapes its quotation marks. */
export const BLOB_START = '{"blob":"';

/**
 * Replaces long BLOBs in a text of typed cells by `{"long":0}`, `{"long":1}`, ..., their positions in `blobs`. To parse
 * and decode them takes 8 ms for each megabyte, so they are decoded in time slices.
 *
 * @param blobs gets the bytes of the BLOBs
 */
export async function withoutLongBlobs(text: string, blobs: Buffer[], slices: TimeSlices): Promise<string> {
  let kept = "";
  let keptUntil = 0;
  for (let end = 0; ;) {
    const start = text.indexOf(BLOB_START, end);
    if (start === -1) return kept + text.slice(keptUntil);
    const first = start + BLOB_START.length;
    end = text.indexOf('"', first);
    if (end - first <= LONG_CELL) continue;
    kept += `${text.slice(keptUntil, start)}{"long":${blobs.length}}`;
    blobs.push(await decodeHex(text, first, end, slices));
    keptUntil = end + '"}'.length;
  }
}
