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
