import type { Table } from "../engine/schema.js";
import type { SqlInput } from "../engine/values.js";

/** A table as one actor may read it. */
export interface ReadableTable {
  /** The table without hidden columns and the keys and indexes that contain them. */
  readonly table: Table;
  /**
   * The source of rows for the FROM clause. Conditions on it are evaluated only on rows that the actor may read.
   */
  readonly sql: string;
  /**
   * The same rows, for statements whose conditions cannot fail on any row, such as the lookup of a key. SQLite may use
   * an index for these conditions, and may evaluate them on hidden rows.
   */
  readonly flattenable: string;
  /** Only for views behind a barrier: its columns are not computed, so comparisons with them cannot fail. */
  readonly isPlainView?: boolean;
  /** The parameters of `sql`, with unique names. */
  readonly params: Readonly<Record<string, SqlInput>>;
  /** True if rows or columns are hidden from the actor. */
  readonly restricted: boolean;
}
