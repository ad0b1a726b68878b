import type { SqlParams } from "./values.js";

/** Reads long BLOBs apart from their rows. */
export interface LongBlobs {
  /** SQL for the number of bytes of a BLOB, found without reading them; NULL for other values. */
  size(expression: string): string;
  /**
   * The bytes of one BLOB in pieces, from one snapshot. Without pieces there is no such row.
   *
   * @throws as `stream` does
   */
  read(blob: StoredBlob): AsyncIterable<Uint8Array>;
}

/** BLOBs of more bytes are long. */
export const LONG_BLOB_BYTES = 262_144;

/**
 * SQL for a value, with NULL for long BLOBs.
 *
 * @example
 * withoutLongBlob({ size: (value) => `length(${value})` }, "cover");
 * // "case when length(cover) > 262144 then null else cover end"
 */
export const withoutLongBlob = ({ size }: Pick<LongBlobs, "size">, value: string): string =>
  `case when ${size(value)} > ${LONG_BLOB_BYTES} then null else ${value} end`;

/** The BLOB of one row. */
export interface StoredBlob {
  /** The column, as SQL. */
  readonly value: string;
  /** The rows that the caller may read: the table, or a subquery. */
  readonly source: string;
  /** The condition that selects the row. */
  readonly where: string;
  readonly params: SqlParams;
}
