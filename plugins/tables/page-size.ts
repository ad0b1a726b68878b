import { BadRequest } from "rowhouse/plugin-api";
import type { MetadataBlock } from "rowhouse/plugin-api";

export interface PageSizes {
  /** Setting `default_page_size`. */
  readonly usual: number;
  /** Setting `max_returned_rows`. */
  readonly most: number;
}

/**
 * Rows of a page: `_size` (a number or `max`), else the metadata's `size`, else the usual size.
 *
 * @throws BadRequest when it is no number, or beyond the most
 */
export function pageSize(
  query: URLSearchParams,
  metadata: MetadataBlock,
  { usual, most }: PageSizes,
): number {
  const asked = query.get("_size") || metadataSize(metadata);
  if (asked === null) return Math.min(usual, most);
  if (asked === "max") return most;
  if (!/^\d+$/.test(asked)) throw new BadRequest("_size must be a positive integer");
  const size = Number(asked);
  if (size > most) throw new BadRequest(`_size must be <= ${most}`);
  return size;
}

/** Fewer rows where that many would have more cells than the renderer shows; the next page continues after them. */
export const sizeWithin = (maxCells: number | undefined, size: number, columns: number): number =>
  maxCells === undefined ? size : Math.min(size, Math.max(1, Math.floor(maxCells / Math.max(1, columns))));

const metadataSize = ({ size }: MetadataBlock): string | null =>
  typeof size === "number" || typeof size === "string" ? String(size) : null;

/**
 * Milliseconds the row query may take: `_timelimit` lowers the limit of the setting and never raises it.
 *
 * @throws BadRequest when it is no whole number
 */
export function rowTimeLimit(query: URLSearchParams, settingMs: number): number {
  const asked = query.get("_timelimit");
  if (asked === null || asked === "") return settingMs;
  if (!/^\d+$/.test(asked)) throw new BadRequest("_timelimit must be an integer");
  return Math.min(Number(asked), settingMs);
}
