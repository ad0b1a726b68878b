import type { CostlyStep } from "./advice.js";
import type { Analysis } from "./analysis.js";
import type { DatabaseBackup } from "./backup.js";
import type { Dialect } from "./dialect.js";
import type { LongBlobs } from "./long-blobs.js";
import type { JsonReadOptions, JsonRows, ReadOptions, Rows, StreamOptions } from "./reads.js";
import type { Schema } from "./schema.js";
import type { SqlParams } from "./values.js";

/** The location of a database, for the hook `open_database`. */
export interface DatabaseLocation {
  /** `file:` and an absolute path, `memory:`, or any scheme that an engine plugin claims. */
  readonly uri: string;
  readonly name: string;
  readonly mutable: boolean;
  /** The path as the operator wrote it, for messages and listings. */
  readonly shownPath?: string;
  /** Creates the file if it does not exist. */
  readonly create?: boolean;
  readonly nolock?: boolean;
  /** Left out of lists, and only `root` may view it: the internal database of Rowhouse, and those of plugins. */
  readonly internal?: boolean;
  /** Other files to attach read-only, by name (an in-memory database under `--crossdb`). */
  readonly attach?: readonly { readonly name: string; readonly path: string }[];
  /** SHA-256 from an inspect file, so that an immutable file need not be hashed again. */
  readonly hash?: string;
}

/**
 * An open database of any engine. A read runs exactly one statement on one snapshot, never changes data, and ends
 * within 100 ms after its time limit or after its signal aborts. The published test suite `describeEngine`
 * (`rowhouse/testing/engine`) checks these guarantees for an engine.
 */
export interface Database {
  readonly name: string;
  readonly mutable: boolean;
  readonly memory: boolean;
  /** True for the internal database, which is left out of listings. */
  readonly internal: boolean;
  readonly capabilities: Capabilities;
  readonly dialect: Dialect;

  /**
   * Runs one read-only statement and resolves to typed values.
   *
   * @throws QueryInterrupted when the time limit runs out or the signal aborts
   * @throws InvalidSql for text that is not exactly one statement, and for statements that are not allowed
   * @throws SqlFailed for any other error of the engine, with its message
   */
  read(sql: string, params?: SqlParams, options?: ReadOptions): Promise<Rows>;

  /** Like `read`, but each row is JSON text, which the engine builds outside of the event loop. */
  readJson(sql: string, params?: SqlParams, options?: JsonReadOptions): Promise<JsonRows>;

  /**
   * The whole result from one snapshot in batches, with back-pressure: a batch is read when the iterator requests it.
   * Leaving the loop ends the read.
   */
  stream(sql: string, params?: SqlParams, options?: StreamOptions): AsyncIterable<Rows>;
  /** Like `stream`, but each row is JSON text. */
  streamJson(
    sql: string,
    params?: SqlParams,
    options?: StreamOptions & JsonReadOptions,
  ): AsyncIterable<JsonRows>;

  /**
   * Queues a write. Writes run one at a time in the order of the calls. `work` runs in a transaction, which commits
   * if the promise of `work` resolves and rolls back if it rejects. Queued writes may share one commit, but each
   * succeeds or fails by itself. The promise resolves after the commit is on disk.
   *
   * @throws ReadOnlyDatabase when the database is immutable
   * @throws NestedWrite when called from inside another `work` of the same database
   * @throws DatabaseUnavailable if another process holds the lock for longer than `timeoutMs`
   */
  write<T>(work: (transaction: Transaction) => Promise<T>, options?: WriteOptions<T>): Promise<T>;

  /** Determines what a statement does without running it. Callers must reject statements of kind `unknown`. */
  analyse(sql: string): Promise<Analysis>;

  /**
   * The schema: the same frozen object until the schema changes, so it can be the key of a cache.
   *
   * @param sinceMs a time of `performance.now()`, such as `request.receivedMs`: a schema that was current at this time
   *   or later may be returned, which saves a query
   */
  schema(sinceMs?: number): Promise<Schema>;
  /** The result of the latest call of `schema`, which may be outdated; null before the first one. */
  readonly lastSchema: Schema | null;

  /**
   * The current version, which changes with every committed change of data or schema, by any process. Concurrent
   * calls share one query.
   *
   * @param sinceMs a time of `performance.now()`: a version that was read at this time or later may be returned
   */
  version(sinceMs?: number): Promise<DatabaseVersion>;

  /**
   * The steps of a reading statement whose cost grows with a table, from the plan of the engine. The statement does not
   * run. Tables with few rows are left out. The result names tables and columns without checking permissions: the service
   * `advice` does. Absent if the engine can't.
   *
   * @throws as `read` does
   */
  costlySteps?(sql: string, params?: SqlParams, options?: ReadOptions): Promise<readonly CostlyStep[]>;

  describe(): Promise<DatabaseDescription>;
  health(): Promise<Health>;
  /**
   * The engine's estimate of the number of rows of a SELECT, without running it; null if it has none. Absent in engines
   * that do not estimate. It follows from statistics of all rows, so it must not be shown to clients that may read only
   * some of them.
   */
  estimateRows?(sql: string, params?: SqlParams): Promise<number | null>;
  /** What the engine does at this moment, for metrics. Absent if it does not count. */
  load?(): DatabaseLoad;
  /** Reads long BLOBs apart from their rows. Absent if the engine can't. */
  readonly longBlobs?: LongBlobs;
  /** Copies and restores the database while it is used; absent if the engine or the location can't. */
  readonly backup?: DatabaseBackup;
  /** Completes the queued writes, then closes the database. */
  close(): Promise<void>;
}

/** The features of an engine. Pages and routes for features that it lacks are not offered. */
export interface Capabilities {
  readonly dialect: "sqlite" | (string & {});
  readonly interruptible: boolean;
  /** Untrusted SQL can be run: read-only, with limits of time and memory. */
  readonly untrustedSql: boolean;
  readonly snapshotReads: boolean;
  readonly fullTextSearch: boolean;
  readonly json: boolean;
  readonly attach: boolean;
  /** The database is one file that clients can download. */
  readonly download: boolean;
  readonly multiWriter: boolean;
  readonly maxParameters: number;
  readonly maxStatementBytes: number;
}

/** Options of `write`. */
export interface WriteOptions<T = unknown> {
  /** Milliseconds to wait for the lock of another process. Default: the setting `lock_wait_ms`. */
  readonly timeoutMs?: number;
  /** Runs the work, then rolls back. The promise resolves to the result of the work. */
  readonly dryRun?: boolean;
  /** `false` runs the work alone and outside of a transaction, for `VACUUM` and pragmas. Default `true`. */
  readonly transaction?: boolean;
  /**
   * The schema for which the write was prepared, from `schema` or `lastSchema`.
   *
   * @throws SchemaChanged if the database has another schema when the transaction starts; nothing is written then
   */
  readonly schema?: Schema | null;
  /**
   * `true`: the work has no effects outside of the transaction. It may run again if another write has rolled back the
   * transaction that both share. Default `false`: such a write fails with DatabaseUnavailable.
   */
  readonly repeatable?: boolean;
  /** The same write in bulk form. An engine may run it instead of the work. */
  readonly bulk?: BulkStatement<T> | null;
}

/**
 * A write as one statement over a list of items. An engine can run queued writes with the same statement as one
 * statement over all their items, which is many times faster for writes of one row each. If that fails, it runs the
 * writes one by one, so that each succeeds or fails by itself.
 */
export interface BulkStatement<T> {
  /**
   * INSERT, UPDATE or DELETE with one parameter, a JSON array of items. Its effect on two joined arrays equals running
   * it on each in turn.
   */
  readonly sql: string;
  /** The items, each as JSON text. */
  readonly items: readonly string[];
  /**
   * Makes the result of the write. It must not throw: the rows may be stored already.
   *
   * @param rows one JSON object per item from the RETURNING clause; empty without such a clause
   */
  result(rows: readonly string[]): T;
}

/** The result of a statement in a transaction. */
export interface WriteResult {
  /** The number of rows inserted, updated or deleted, except by triggers. */
  readonly changes: number;
  /** The rowid of the row that was inserted last; 0 on engines without rowids, where RETURNING has the key. */
  readonly lastInsertRowid: number | bigint;
  /** The rows of a RETURNING clause; absent for a statement without one. */
  readonly returned?: Rows;
}

/** Limits of a statement in a transaction. Without them it runs until it has ended. */
export interface StatementLimits {
  /** Milliseconds. */
  readonly timeLimitMs?: number;
  readonly signal?: AbortSignal;
}

/** Options of `stream` in a transaction. Without limits it runs until it has ended. */
export type TransactionStreamOptions = Pick<
  StreamOptions,
  "batchSize" | "malformedText" | "timeLimitMs" | "signal"
>;

/** A write transaction. */
export interface Transaction {
  /** Runs a statement. @throws SqlFailed, and QueryInterrupted at the limits: then the write must fail */
  run(sql: string, params?: SqlParams, limits?: StatementLimits): Promise<WriteResult>;
  /** The rows of a SELECT or a RETURNING clause. @throws SqlFailed */
  all(sql: string, params?: SqlParams): Promise<Rows>;
  /** Like `all`, but each row is JSON text. */
  allJson(sql: string, params?: SqlParams, options?: JsonReadOptions): Promise<JsonRows>;
  /**
   * The rows of a SELECT in batches, with the changes of this transaction. Read them to the end, or leave the loop, before
   * the work ends. The write can continue after an error.
   *
   * @throws SqlFailed, and QueryInterrupted at the limits
   */
  stream(sql: string, params?: SqlParams, options?: TransactionStreamOptions): AsyncIterable<Rows>;
  /** The schema in this transaction, with its own changes. */
  schema(): Promise<Schema>;
}

/** Versions can only be compared for equality. */
export interface DatabaseVersion {
  readonly schema: string;
  /** Changes with every commit. */
  readonly data: string;
}

/** The file of a database. */
export interface DatabaseDescription {
  /** Absolute; null for databases in memory. */
  readonly path: string | null;
  /** The path as the operator wrote it, for listings. */
  readonly shownPath: string | null;
  readonly sizeBytes: number;
  /** SHA-256 in hex for immutable files; null for others. */
  readonly hash: string | null;
}

/** What an engine does at one moment. */
export interface DatabaseLoad {
  readonly runningReads: number;
  /** Reads that wait for a connection. */
  readonly waitingReads: number;
  readonly openStreams: number;
  /** Writes that wait for their commit. */
  readonly waitingWrites: number;
}

/** Whether a database can be used now. `reason` is a text for messages. */
export interface Health {
  readonly state: "ready" | "degraded" | "read-only" | "unavailable";
  readonly reason: string | null;
}
