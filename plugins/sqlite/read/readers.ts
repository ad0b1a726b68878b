import type {
  DatabaseLoad,
  DatabaseVersion,
  ReadOptions,
  StoredBlob,
  StreamOptions,
} from "rowhouse/plugin-api/engine";
import { failedIn } from "rowhouse/plugin-api/errors";
import { IsolatedReader } from "../isolation/reader.js";
import { processPoolFor } from "../isolation/shared-pool.js";
import { ConnectionPool, type TrustLevel } from "../open/connection-pool.js";
import type { Connection } from "../open/connection.js";
import { asRowhouseError } from "../open/errors.js";
import { MAX_LENGTH, openReader, retryIfLocked, type DatabasePlan } from "../open/open-connection.js";
import { temporaryStore, type TemporaryStore } from "../open/temporary-files.js";
import { isExplainOrPragma } from "../sql/statement.js";
import { asVersion, readVersionCounters, VersionPoll } from "../schema/version.js";
import { blobPieces } from "./blob-pieces.js";
import { ColumnCache } from "./columns.js";
import { BYTES_AS_LINES, DetachableStream } from "./detachable-stream.js";
import { attachStatement, keysetOf, traceQuery, trustOf, type HostQuery, type Query } from "./query.js";
import { runQuery, withAllowlist, type QueryResult, type Reader } from "./run-query.js";
import { openStream, type RowStream, type StreamedRows } from "./stream.js";

// A stream keeps its connection as long as its client reads, so streams have connections of their own.
const MAX_STREAMS = 8;
/** How long a read waits for a free connection. */
const CONNECTION_WAIT_MS = 10_000;
/** How long a read waits for a writer of another process that excludes readers. */
const MAX_LOCK_WAIT_MS = 2_000;
const DEFAULT_BATCH_SIZE = 250;
/** The page cache of a connection: a quarter of SQLite's default. There are several, and the system caches files, too. */
const READER_CACHE_KIB = 500;

/** The connections that read one database, in threads of this process and in separate processes. */
export class Readers {
  readonly #pages: ConnectionPool;
  readonly #streams: ConnectionPool;
  readonly #poller: ConnectionPool;
  readonly #columns = new ColumnCache();
  /** Connections whose page cache has its size. */
  readonly #limited = new WeakSet<Connection>();
  readonly #threadStreams = new Set<Pick<RowStream, "release">>();
  #poll: VersionPoll;
  readonly #isolatedReader: IsolatedReader;
  #openStreams = 0;
  #generation = 0;

  constructor(
    private readonly plan: DatabasePlan,
    private readonly checkFiles: () => Promise<unknown> | void,
  ) {
    const pool = (size: number): ConnectionPool =>
      new ConnectionPool({
        open: async () => openReader(plan, await this.#temporaryStore()),
        size,
        waitLimitMs: CONNECTION_WAIT_MS,
      });
    this.#pages = pool(Math.max(1, plan.rowhouse.setting("num_sql_threads")));
    this.#streams = pool(MAX_STREAMS);
    this.#poller = pool(1);
    this.#poll = this.#newPoll();
    this.#isolatedReader = new IsolatedReader({
      plan,
      pool: processPoolFor(plan.rowhouse),
      lockWaitMs: this.#lockWaitMs(),
      generation: () => this.#generation,
      version: () => this.#poll.read(),
    });
  }

  /** Increases when another file replaces the one that was open. */
  get generation(): number {
    return this.#generation;
  }

  run(query: HostQuery, options: ReadOptions): Promise<QueryResult> {
    const read = (): Promise<QueryResult> =>
      this.#isolated(options, (isolated) => isolated.answer(query)) ??
      this.#lend(options, (reader) =>
        withAllowlist(reader.connection, query, (allowed) => runQuery(reader, allowed)),
      );
    // Not reported as statements of the request: most are plans that Rowhouse itself looks at.
    return isExplainOrPragma(query.statement) ? read() : traceQuery(this.plan.location.name, query, read);
  }

  async *batches(query: HostQuery, options: StreamOptions): AsyncGenerator<StreamedRows> {
    const { maxRows = Infinity } = query;
    const { batchSize = DEFAULT_BATCH_SIZE } = options;
    await this.checkFiles();
    const batches = this.#runsIsolated(options)
      ? this.#isolatedReader.batches(query, batchSize)
      : this.#threadBatches(query, options, batchSize);
    let left = maxRows;
    this.#openStreams += 1;
    try {
      for await (const batch of batches) {
        const { length } = batch.rows;
        yield { ...batch, rows: batch.rows.slice(0, left), truncated: length > left };
        left -= length;
        if (left < 0) return;
      }
    } catch (error) {
      throw attachStatement(this.#failure(error), this.plan.location.name, query);
    } finally {
      this.#openStreams -= 1;
    }
  }

  async *#threadBatches(
    given: Query,
    options: StreamOptions,
    batchSize: number,
  ): AsyncGenerator<StreamedRows> {
    const trust = trustOf(options);
    const query = { ...given, keyset: keysetOf(options) };
    const lease = await this.#streams.borrow(trust, options.signal);
    let stream: RowStream | undefined;
    try {
      const reader = this.#reader(lease.connection, trust);
      lease.connection.limitLength(reader.maxLengthBytes);
      // The transaction of the allowlist may end before the stream: its first step keeps the snapshot.
      const read = (): Promise<RowStream> =>
        withAllowlist(lease.connection, query, (allowed) => openStream(reader, allowed, batchSize));
      const deadlineMs = performance.now() + this.#lockWaitMs();
      stream = await read().catch((error) => retryIfLocked(error, { plan: this.plan, deadlineMs, read }));
      this.#threadStreams.add(stream);
      for await (const batch of stream.batches) yield { ...batch, truncated: false };
    } finally {
      if (stream !== undefined) this.#threadStreams.delete(stream);
      lease.end();
    }
  }

  /** The bytes of a BLOB in pieces. */
  async *blob(blob: StoredBlob): AsyncGenerator<Uint8Array> {
    await this.checkFiles();
    const lease = await this.#streams.borrow("trusted");
    lease.connection.limitLength(MAX_LENGTH.trusted);
    const pieces = new DetachableStream(blobPieces(lease.connection, blob), BYTES_AS_LINES);
    const stream = { release: () => pieces.detach() };
    this.#openStreams += 1;
    this.#threadStreams.add(stream);
    try {
      for (let piece = await pieces.next(); piece !== undefined; piece = await pieces.next()) yield piece;
    } catch (error) {
      throw this.#failure(error);
    } finally {
      this.#threadStreams.delete(stream);
      this.#openStreams -= 1;
      await pieces.close();
      lease.end();
    }
  }

  /** Releases the read locks of streams, so that a commit does not wait until their clients have read everything. */
  readonly streams = {
    areOpen: (): boolean => this.#openStreams > 0,
    release: async (): Promise<void> => {
      const inThreads = [...this.#threadStreams].map((stream) => stream.release().catch(() => undefined));
      const inProcesses = this.#isolatedReader.release(this.plan.rowhouse.setting("sql_time_limit_ms"));
      await Promise.all([...inThreads, inProcesses]);
    },
  };

  /** Reads in threads of this process. Those in separate processes count only as streams. */
  get load(): Omit<DatabaseLoad, "waitingWrites"> {
    const { lent, waiting } = this.#pages.load;
    return { runningReads: lent, waitingReads: waiting, openStreams: this.#openStreams };
  }

  /** The version of a poll that begins now or later, or that began at `sinceMs` or later. */
  version(sinceMs?: number): Promise<DatabaseVersion> {
    return this.#afterFileCheck(() => this.#poll.read(sinceMs));
  }

  /** This process has committed. */
  forgetVersion(): void {
    this.#poll.forget();
  }

  #newPoll(): VersionPoll {
    const { generation } = this;
    return new VersionPoll(this.plan.path, async () =>
      asVersion(await this.#withReader(this.#poller, {}, readVersionCounters), generation),
    );
  }

  /** Lends a connection to `work`. Errors of the driver are turned into those of Rowhouse. */
  use<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    return this.#lend({}, (reader) => {
      reader.connection.limitLength(reader.maxLengthBytes);
      return work(reader);
    });
  }

  /** Like `use`. The connection has the limit of length of its last user. */
  #lend<T>(options: ReadOptions, work: (reader: Reader) => Promise<T>): Promise<T> {
    return this.#afterFileCheck(() => this.#withReader(this.#pages, options, work));
  }

  renew(): void {
    this.#generation += 1;
    this.#poll = this.#newPoll();
    this.#columns.clear();
    for (const pool of [this.#pages, this.#streams, this.#poller]) pool.renew();
    this.#isolatedReader.renew();
  }

  async close(): Promise<void> {
    const inThreads = [this.#pages, this.#streams].map((pool) => pool.close());
    await Promise.all([...inThreads, this.#isolatedReader.close()]);
    // A read in a process may poll the version until it ends.
    await this.#poller.close();
  }

  #runsIsolated(options: ReadOptions): boolean {
    return trustOf(options) === "untrusted" && this.plan.rowhouse.setting("sql_isolation") === "process";
  }

  /** Reads in a separate process; null if the read runs in a thread. */
  #isolated<T>(options: ReadOptions, read: (isolated: IsolatedReader) => Promise<T>): Promise<T> | null {
    if (!this.#runsIsolated(options)) return null;
    return this.#afterFileCheck(() => read(this.#isolatedReader).catch(this.#fail));
  }

  /** Synchronous if the file was checked recently: a promise more would delay each read. */
  #afterFileCheck<T>(read: () => Promise<T>): Promise<T> {
    const check = this.checkFiles();
    return check instanceof Promise ? check.then(read, this.#fail) : read();
  }

  #failure = (error: unknown): unknown => failedIn(this.plan.location.name, asRowhouseError(error));

  #fail = (error: unknown): never => {
    throw this.#failure(error);
  };

  #lockWaitMs = (): number => Math.min(MAX_LOCK_WAIT_MS, this.plan.rowhouse.setting("lock_wait_ms"));

  #withReader<T>(
    pool: ConnectionPool,
    options: ReadOptions,
    work: (reader: Reader) => Promise<T>,
  ): Promise<T> {
    const trust = trustOf(options);
    const deadlineMs = performance.now() + this.#lockWaitMs();
    return pool
      .use(trust, options.signal, (connection) => {
        const read = (): Promise<T> => work(this.#reader(connection, trust));
        const attempt = (): Promise<T> =>
          this.#limited.has(connection) ? read() : this.#limitCache(connection).then(read);
        // Almost all reads succeed at once, and each precaution is a promise more.
        return attempt().catch((error) =>
          retryIfLocked(error, { plan: this.plan, deadlineMs, read: attempt }),
        );
      })
      .catch(this.#fail);
  }

  /** Memory if SQL of clients runs on these connections, too: a client must not fill the disk. */
  #temporaryStore = (): Promise<TemporaryStore> | TemporaryStore =>
    this.plan.rowhouse.setting("sql_isolation") === "process" ? temporaryStore() : "memory";

  /** Not when the connection is opened: SQLite reads the schema for it, and the file may be locked. */
  async #limitCache(connection: Connection): Promise<void> {
    if (this.plan.cacheSizeKb === 0) await connection.exec(`pragma cache_size = -${READER_CACHE_KIB}`);
    this.#limited.add(connection);
  }

  #reader(connection: Connection, trust: TrustLevel): Reader {
    const maxLengthBytes = MAX_LENGTH[trust];
    return { connection, columns: this.#columns, maySplitResult: trust === "trusted", maxLengthBytes };
  }
}
