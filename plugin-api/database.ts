import type { Confinement } from "./contracts/confinement.js";
import type { Dialect } from "./sql.js";
import type { Schema } from "./schema.js";
import type { SqlParams, SqlValue } from "./values.js";

/** Where a database lives, as told to whoever opens it (`open_database`). */
export interface DatabaseLocation {
  /** `file:` and an absolute path, `memory:`, or any scheme that an engine plugin claims. */
  readonly uri: string;
  readonly name: string;
  readonly mutable: boolean;
  /** The file's name as the person wrote it, for messages and listings. */
  readonly shownPath?: string;
  /** Makes the file when it is missing. */
  readonly create?: boolean;
  readonly nolock?: boolean;
  /** Of Rowhouse's own: becomes `Database.internal`. */
  readonly internal?: boolean;
  /** Other files to attach read-only, by name (an in-memory database under `--crossdb`). */
  readonly attach?: readonly { readonly name: string; readonly path: string }[];
  /** Known from an inspect file; spares hashing an immutable file again. */
  readonly hash?: string;
}

/**
 * One open database, whatever the engine. Reads never change data, see one snapshot, hold one statement
 * only and stop within 100 ms of their deadline or of the caller's abort.
 * The published suite `describeEngine` (`rowhouse/testing/engine`) holds every engine to these promises.
 */
export interface Database {
  readonly name: string;
  readonly mutable: boolean;
  readonly memory: boolean;
  /** Kept out of listings for everybody who may not see the instance's insides. */
  readonly internal: boolean;
  readonly capabilities: Capabilities;
  readonly dialect: Dialect;

  /**
   * Runs one read-only statement and brings typed cells.
   *
   * @throws QueryInterrupted when the time limit runs out or the signal aborts
   * @throws InvalidSql when it is not exactly one statement, or one that may not run
   * @throws SqlFailed for any other complaint of the engine, in the engine's words
   */
  read(sql: string, params?: SqlParams, options?: ReadOptions): Promise<Rows>;

  /** Like `read`; each row arrives as finished JSON text that was built off the main thread. */
  readJson(sql: string, params?: SqlParams, options?: JsonReadOptions): Promise<JsonRows>;

  /**
   * The whole result from one snapshot, in batches, with back-pressure: the next batch is read when it is
   * asked for. Leaving the loop ends the read. `maxRows` does not apply unless given.
   */
  stream(sql: string, params?: SqlParams, options?: StreamOptions): AsyncIterable<Rows>;
  /** Like `stream`, each row as finished JSON text. */
  streamJson(
    sql: string,
    params?: SqlParams,
    options?: StreamOptions & JsonReadOptions,
  ): AsyncIterable<JsonRows>;

  /**
   * Queues `work`. Works run one at a time, in order of arrival, each all-or-nothing: it commits when the
   * promise resolves and rolls back when it rejects. Works that wait together may share one commit; each
   * still succeeds or fails alone, and nobody is told of success before it is on disk.
   *
   * @throws ReadOnlyDatabase when the database is immutable
   * @throws NestedWrite when called from inside another `work` of the same database
   * @throws DatabaseUnavailable when another process keeps the lock longer than `timeoutMs`
   */
  write<T>(work: (transaction: Transaction) => Promise<T>, options?: WriteOptions<T>): Promise<T>;

  /** What a statement is and touches; `unknown` must be taken as a refusal. */
  analyse(sql: string): Promise<Analysis>;

  /** The same frozen object until the schema changes, whoever changes it; results may be memoised on it. */
  schema(): Promise<Schema>;
  /** The schema as whoever asked last has seen it, null before anybody has: whose names are known is in it. */
  readonly lastSchema: Schema | null;

  /**
   * Moves whenever the data or the schema changes, this process or another being the cause. Cheap:
   * requests that ask at the same time share one poll.
   *
   * @param sinceMs on the clock of `performance.now()`: what a look that began no earlier has seen will do
   */
  version(sinceMs?: number): Promise<DatabaseVersion>;

  describe(): Promise<DatabaseDescription>;
  health(): Promise<Health>;
  /** Finishes what is queued, then closes. */
  close(): Promise<void>;
}

/** What an engine can do; what it can't is not offered. */
export interface Capabilities {
  readonly dialect: "sqlite" | (string & {});
  readonly interruptible: boolean;
  /** Statements of strangers may be run: confined to reading, bounded in time and memory. */
  readonly untrustedSql: boolean;
  readonly snapshotReads: boolean;
  readonly fullTextSearch: boolean;
  readonly json: boolean;
  readonly attach: boolean;
  /** The database is one file that can be sent as it is. */
  readonly download: boolean;
  readonly multiWriter: boolean;
  readonly maxParameters: number;
  readonly maxStatementBytes: number;
}

/** How a statement is read. */
export interface ReadOptions {
  /** Default: the setting `sql_time_limit_ms`. */
  readonly timeLimitMs?: number;
  /** Rows beyond this are dropped and `truncated` is set. Default: no limit. */
  readonly maxRows?: number;
  /** Of `read`: with so many columns that `maxRows` rows would have more cells, fewer rows; at least one. */
  readonly maxCells?: number;
  readonly signal?: AbortSignal;
  /**
   * `trusted` is for statements Rowhouse or a plugin wrote; `stranger` (anything a caller wrote, also in
   * part) runs on a confined connection. Default `trusted`.
   */
  readonly trust?: "trusted" | "stranger";
  /** Output columns in order where the caller knows them: spares the engine finding out. */
  readonly columns?: readonly string[];
  /** What the statement may read; it is checked in the snapshot in which it runs. @throws StatementConfined */
  readonly confine?: Confinement;
}

/** How a statement is read whose rows come as JSON text. */
export interface JsonReadOptions extends ReadOptions {
  /** Each row as `[1, "a"]` or as `{"id": 1, "name": "a"}` (of equal names the last stays). Default arrays. */
  readonly shape?: "arrays" | "objects";
  /** How infinities are written. Default `null`. */
  readonly infinity?: "null" | "words";
}

/** How a result is streamed. */
export interface StreamOptions extends ReadOptions {
  /** Rows in one batch. Default 1000. */
  readonly batchSize?: number;
}

/** A result as typed values. */
export interface Rows {
  /** Always known, in order, duplicates kept, also for an empty result. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
  readonly truncated: boolean;
}

/** A result as finished JSON text. */
export interface JsonRows {
  readonly columns: readonly string[];
  /** One JSON text a row in wire form (`plugin-api/json.ts`), exact to the last digit. */
  readonly rows: readonly string[];
  readonly truncated: boolean;
}

/** How a write is carried out. */
export interface WriteOptions<T = unknown> {
  /** How long another process's lock is waited for. */
  readonly timeoutMs?: number;
  /** Runs the work, reports its result and rolls everything back. */
  readonly dryRun?: boolean;
  /** `false` runs outside any transaction, and never together with other works (`VACUUM`, pragmas). */
  readonly transaction?: boolean;
  /**
   * What `schema` or `lastSchema` brought when the write was made up: its transaction is one under this schema or none.
   *
   * @throws SchemaChanged when the database has another by the time of the write
   */
  readonly schema?: Schema | null;
  /** What the work does, in other words; an engine may do this instead, and then never runs the work. */
  readonly list?: ListStatement<T> | null;
}

/**
 * A whole write as one statement over a list. Writes that wait together and say the same can then become one
 * statement over all their lists: many times the rows a second where each write has but one. Should that fail,
 * their works run one by one, so that each still succeeds or fails alone.
 */
export interface ListStatement<T> {
  /** Its one parameter is a JSON list. Over two lists in a row it does the same as over each in turn. */
  readonly sql: string;
  /** The items of the list as JSON. */
  readonly items: readonly string[];
  /**
   * What the work would have resolved to.
   *
   * @param rows what its RETURNING clause brought, as a JSON object an item; empty where it has none
   */
  result(rows: readonly string[]): T;
}

/** What a statement of a transaction did. */
export interface WriteResult {
  /** Rows inserted, changed or deleted, without those of triggers. */
  readonly changes: number;
  readonly lastInsertRowid: number | bigint;
  /** The rows of a RETURNING clause; absent for a statement without one. */
  readonly returned?: Rows;
}

/** What a write may do between its begin and its commit. */
export interface Transaction {
  /** Runs a statement to its end, whether it returns rows or not. @throws SqlFailed */
  run(sql: string, params?: SqlParams): Promise<WriteResult>;
  /** Rows of a SELECT, or of a RETURNING clause. @throws SqlFailed */
  all(sql: string, params?: SqlParams): Promise<Rows>;
  /** Like `all`, each row as finished JSON text. */
  allJson(sql: string, params?: SqlParams, options?: JsonReadOptions): Promise<JsonRows>;
  /** The schema as this transaction sees it, its own changes included. */
  schema(): Promise<Schema>;
}

/** Comparable by equality only. */
export interface DatabaseVersion {
  readonly schema: string;
  /** Moves with every committed change. */
  readonly data: string;
}

/** The file behind a database; `path` is null in memory. */
export interface DatabaseDescription {
  readonly path: string | null;
  /** The path as the person who serves it wrote it, for listings. */
  readonly shownPath: string | null;
  readonly sizeBytes: number;
  /** SHA-256 in hex, only for immutable files, whose content can be fingerprinted. */
  readonly hash: string | null;
}

/** Whether a database can be used now; `reason` is for people. */
export interface Health {
  readonly state: "ready" | "degraded" | "read-only" | "unavailable";
  readonly reason: string | null;
}

/** What a statement does, found without running it. */
export interface Analysis {
  readonly kind: "select" | "insert" | "update" | "delete" | "schema" | "explain" | "pragma" | "unknown";
  /** Tables and virtual tables read, by name; null when that can't be told for sure. */
  readonly reads: readonly string[] | null;
  readonly writes: readonly string[] | null;
  /** Named parameters in order of appearance, without their prefix; found without running anything. */
  readonly parameters: readonly string[];
}
