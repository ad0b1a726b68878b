import type { SqlParams, SqlValue } from "./values.js";

/** Options of `read` and of the other reading methods. */
export interface ReadOptions {
  /** Milliseconds. Default: the setting `sql_time_limit_ms`. */
  readonly timeLimitMs?: number;
  /** Further rows are left out and `truncated` is true. Default: no limit. */
  readonly maxRows?: number;
  /** Only for `read`: limits the rows to `maxCells` divided by the number of columns, at least one. */
  readonly maxCells?: number;
  /** For `read` and `stream`: `bytes` returns TEXT that is not valid UTF-8 as `TextBytes`. Default: with U+FFFD. */
  readonly malformedText?: "bytes" | undefined;
  readonly signal?: AbortSignal;
  /**
   * `trusted` for statements of Rowhouse or a plugin; `untrusted` for any statement with a part that
   * a client wrote. It runs on a restricted connection. Default `trusted`.
   */
  readonly trust?: "trusted" | "untrusted";
  /** The result columns in order, if the caller knows them, so that the engine need not determine them. */
  readonly columns?: readonly string[];
  /** The tables that the statement may read, checked in the snapshot of the read. @throws StatementConfined */
  readonly allowlist?: ReadAllowlist;
}

/**
 * The tables and views that a statement may read, directly or through subqueries, indexes, virtual tables and views.
 * The engine rejects statements that read anything else, system tables included, and statements of which it cannot
 * determine what they read.
 */
export interface ReadAllowlist {
  readonly tables: ReadonlySet<string>;
  /** Views that may be read even if they read tables that are not listed. */
  readonly views: ReadonlySet<string>;
  /** The same for attached databases, by schema name. */
  readonly attached: ReadonlyMap<string, Omit<ReadAllowlist, "attached">>;
}

/** Options of the methods that return JSON text. */
export interface JsonReadOptions extends ReadOptions {
  /** Rows as `[1, "a"]` or `{"id": 1, "name": "a"}` (the last of equal names is kept). Default `arrays`. */
  readonly shape?: "arrays" | "objects";
  /** JSON of infinite numbers: `null` or `Infinity`. Default `null`. */
  readonly infinity?: "null" | "words";
}

/** Options of `stream` and `streamJson`. */
export interface StreamOptions extends ReadOptions {
  /** The greatest number of rows in one batch. Default: the choice of the engine. */
  readonly batchSize?: number;
  /** An engine may use it to read the rows in parts, if it is faster. */
  readonly keyset?: Keyset;
}

/** How to continue a result after one of its rows, which are sorted by a column of unique whole numbers. */
export interface Keyset {
  /** The position of this column in the result. */
  readonly column: number;
  /** The statement for the rows with greater values. @param key a value of the column, as text */
  readonly after: (key: string) => { readonly sql: string; readonly params: SqlParams };
}

/** A result as typed values. */
export interface Rows {
  /** Names in order, duplicates included, also for an empty result. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
  readonly truncated: boolean;
}

/** A result as JSON text. */
export interface JsonRows {
  readonly columns: readonly string[];
  /** One JSON text per row in the format of `jsonText`, with exact numbers. */
  readonly rows: readonly string[];
  readonly truncated: boolean;
  /** True if a text in the rows may be that of a BLOB, which JSON shows in the same way. */
  readonly mayContainBlobs?: boolean;
}
