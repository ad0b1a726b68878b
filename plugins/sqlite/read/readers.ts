import {
  InvalidSql,
  type DatabaseVersion,
  type ReadOptions,
  type Rows,
  type SqlParams,
  type StreamOptions,
} from "rowhouse/plugin-api";
import { parameterNames } from "../sql/bind.js";
import { ColumnCache } from "./columns.js";
import { withAllowlist } from "./allowlist.js";
import type { Connection } from "../open/connection.js";
import { asRowhouseError } from "../open/errors.js";
import {
  MAX_LENGTH,
  MAX_STATEMENT,
  openReader,
  withJournalRecovery,
  type DatabasePlan,
} from "../open/open-connection.js";
import { ConnectionPool, type TrustLevel } from "../open/connection-pool.js";
import { readExplainOrPragma } from "./explain-and-pragma.js";
import { runQuery, type QueryResult, type HostQuery, type Query, type Reader } from "./query.js";
import { cellsForm, jsonForm, type RowFormat } from "./row-encoding.js";
import { IsolatedReader } from "../isolation/reader.js";
import { processPoolFor } from "../isolation/shared-pool.js";
import { hideFileNames } from "../sql/hide-file-names.js";
import { singleStatement } from "../sql/statement.js";
import { openStream, type RowStream, type StreamedRows } from "./stream.js";
import { traceQuery } from "./tracing.js";
import { asVersion, readCounters, VersionPoll } from "../schema/version.js";
import { retryWhileBusy } from "../open/busy-retry.js";

// A stream keeps its connection for as long as somebody downloads: it gets one beside the pages' connections.
const STREAMS_AT_ONCE = 8;
const PATIENCE_MS = 10_000;
// SQLite looks each name up in the list of those before it: its own limit, 32766, is seconds away.
const MAX_NAMED_PARAMETERS = 5_000;
/** How long a read waits for a writer of another process that locks everybody out. */
const LOCK_PATIENCE_MS = 2_000;
const BATCH_SIZE = 1_000;

const SELECTS: ReadonlySet<string> = new Set(["select", "with", "values"]);
const CHEAP: ReadonlySet<string> = new Set(["explain", "pragma"]);

/** Unknown trust levels count as untrusted: version 0.1 had another name for it. */
const trustOf = ({ trust = "trusted" }: ReadOptions): TrustLevel =>
  trust === "trusted" ? "trusted" : "untrusted";

const isUntrusted = (options: ReadOptions): boolean => trustOf(options) === "untrusted";

/** The connections that read one database, and what is asked through them. */
export class Readers {
  readonly #pages: ConnectionPool;
  readonly #streams: ConnectionPool;
  readonly #poller: ConnectionPool;
  readonly #columns = new ColumnCache();
  readonly #streaming = new Set<RowStream>();
  readonly #poll: VersionPoll;
  readonly #isolatedReader: IsolatedReader;
  #generation = 0;

  constructor(
    private readonly plan: DatabasePlan,
    private readonly lookAtFile: () => Promise<void> | void,
  ) {
    const pool = (size: number): ConnectionPool =>
      new ConnectionPool({ open: () => openReader(plan), size, waitLimitMs: PATIENCE_MS });
    this.#pages = pool(Math.max(1, plan.rowhouse.setting("num_sql_threads")));
    this.#streams = pool(STREAMS_AT_ONCE);
    this.#poller = pool(1);
    this.#poll = new VersionPoll(async () => {
      const { generation } = this;
      const counters = await this.#lent(this.#poller, "trusted", undefined, readCounters);
      return asVersion(counters, generation);
    });
    this.#isolatedReader = new IsolatedReader({
      plan,
      pool: processPoolFor(plan.rowhouse),
      lockWaitMs: this.#lockWaitMs(),
      generation: () => this.#generation,
      version: () => this.#poll.read(),
    });
  }

  /** Moves when another file takes the place of the one that was open. */
  get generation(): number {
    return this.#generation;
  }

  /** @throws InvalidSql when it is not one statement that reads */
  query(sql: string, params: SqlParams | undefined, options: ReadOptions, wanted: RowFormat): HostQuery {
    if ("confine" in options) throw new InvalidSql("The read option confine is now called allowlist");
    if (isUntrusted(options) && sql.length > MAX_STATEMENT) {
      throw new InvalidSql("Statement is too long");
    }
    const statement = singleStatement(isUntrusted(options) ? hideFileNames(sql) : sql);
    if (isUntrusted(options) && parameterNames(statement).length > MAX_NAMED_PARAMETERS) {
      throw new InvalidSql("too many SQL variables");
    }
    const isSelect = SELECTS.has(statement.verb) || statement.verb === "";
    if (!isSelect && !CHEAP.has(statement.verb)) throw new InvalidSql("Statement must be a SELECT");
    if (statement.verb === "pragma" && isUntrusted(options)) {
      throw new InvalidSql("Statement must be a SELECT");
    }
    const {
      timeLimitMs = this.plan.rowhouse.setting("sql_time_limit_ms"),
      signal,
      maxRows,
      maxCells,
      columns,
      allowlist,
    } = options;
    const form = wanted.kind === "json" ? jsonForm(wanted.shape) : cellsForm;
    const limits = { timeLimitMs, signal };
    return { statement, params, limits, maxRows, maxCells, columns, allowlist, form, format: wanted };
  }

  run(question: HostQuery, options: ReadOptions): Promise<QueryResult> {
    return traceQuery(
      this.plan.location.name,
      question,
      () =>
        this.#isolated(options, (isolated) => isolated.answer(question)) ??
        this.use(trustOf(options), options.signal, (reader) =>
          withAllowlist(reader.connection, question, (confinedQuestion) =>
            runQuery(reader, confinedQuestion),
          ),
        ),
    );
  }

  /** EXPLAIN and PRAGMA. */
  async runExplainOrPragma(question: HostQuery, options: ReadOptions): Promise<Rows> {
    const { params, limits, maxRows = Infinity } = question;
    const reading =
      this.#isolated(options, (isolated) => isolated.raw(question)) ??
      this.use(trustOf(options), options.signal, ({ connection }) =>
        withAllowlist(connection, question, ({ statement }) =>
          readExplainOrPragma(connection, statement, params, limits),
        ),
      );
    const { columns, rows } = await reading;
    return { columns, rows: rows.slice(0, maxRows), truncated: rows.length > maxRows };
  }

  async *batches(question: HostQuery, options: StreamOptions): AsyncGenerator<StreamedRows> {
    const { maxRows = Infinity } = question;
    const { batchSize = BATCH_SIZE } = options;
    await this.lookAtFile();
    const batches = this.#runsIsolated(options)
      ? this.#isolatedReader.batches(question, batchSize)
      : this.#threadBatches(question, options, batchSize);
    let left = maxRows;
    try {
      for await (const batch of batches) {
        const { length } = batch.rows;
        yield { ...batch, rows: batch.rows.slice(0, left), truncated: length > left };
        left -= length;
        if (left < 0) return;
      }
    } catch (error) {
      throw asRowhouseError(error);
    }
  }

  async *#threadBatches(
    question: Query,
    options: StreamOptions,
    batchSize: number,
  ): AsyncGenerator<StreamedRows> {
    const trust = trustOf(options);
    const lease = await this.#streams.borrow(trust, options.signal);
    let stream: RowStream | undefined;
    try {
      const reader = this.#reader(lease.connection, trust);
      // The first step keeps the snapshot: the transaction around it may end while the statement runs on.
      stream = await withAllowlist(lease.connection, question, (confinedQuestion) =>
        openStream(reader, confinedQuestion, batchSize),
      );
      this.#streaming.add(stream);
      for await (const batch of stream.batches) yield { ...batch, truncated: false };
    } finally {
      if (stream !== undefined) this.#streaming.delete(stream);
      lease.end();
    }
  }

  /** Sees to it that no stream keeps a lock, however slowly its rows are taken. */
  readonly streams = {
    areOpen: (): boolean => this.#streaming.size > 0 || this.#isolatedReader.areStreaming(),
    release: async (): Promise<void> => {
      const inThreads = [...this.#streaming].map((stream) => stream.release().catch(() => undefined));
      const inProcesses = this.#isolatedReader.release(this.plan.rowhouse.setting("sql_time_limit_ms"));
      await Promise.all([...inThreads, inProcesses]);
    },
  };

  /** As of a poll that begins now or later, or began at `sinceMs` or later. */
  version(sinceMs?: number): Promise<DatabaseVersion> {
    const look = this.lookAtFile();
    return look instanceof Promise ? look.then(() => this.#poll.read(sinceMs)) : this.#poll.read(sinceMs);
  }

  /** Lends a reading connection to `use`; its errors come out as ours. */
  use<T>(
    guest: TrustLevel,
    signal: AbortSignal | undefined,
    use: (reader: Reader) => Promise<T>,
  ): Promise<T> {
    const lend = (): Promise<T> => this.#lent(this.#pages, guest, signal, use);
    const look = this.lookAtFile();
    return look instanceof Promise ? look.then(lend) : lend();
  }

  renew(): void {
    this.#generation += 1;
    this.#columns.clear();
    for (const pool of this.#all()) pool.renew();
    this.#isolatedReader.renew();
  }

  async close(): Promise<void> {
    const inThreads = [this.#pages, this.#streams].map((pool) => pool.close());
    await Promise.all([...inThreads, this.#isolatedReader.close()]);
    // What is read in a process may have to ask for the version first.
    await this.#poller.close();
  }

  /** Is this a statement for a process of its own? */
  #runsIsolated(options: ReadOptions): boolean {
    return isUntrusted(options) && this.plan.rowhouse.setting("sql_isolation") === "process";
  }

  /** Asks the processes, or returns null where a statement runs on a thread. */
  #isolated<T>(options: ReadOptions, ask: (isolated: IsolatedReader) => Promise<T>): Promise<T> | null {
    if (!this.#runsIsolated(options)) return null;
    const begin = (): Promise<T> =>
      ask(this.#isolatedReader).catch((error: unknown) => {
        throw asRowhouseError(error);
      });
    const look = this.lookAtFile();
    return look instanceof Promise ? look.then(begin) : begin();
  }

  #lockWaitMs = (): number => Math.min(LOCK_PATIENCE_MS, this.plan.rowhouse.setting("lock_wait_ms"));

  #all = (): readonly ConnectionPool[] => [this.#pages, this.#streams, this.#poller];

  #lent<T>(
    pool: ConnectionPool,
    guest: TrustLevel,
    signal: AbortSignal | undefined,
    use: (reader: Reader) => Promise<T>,
  ): Promise<T> {
    const deadline = performance.now() + this.#lockWaitMs();
    return pool
      .use(guest, signal, (connection) =>
        retryWhileBusy(deadline, () =>
          withJournalRecovery(this.plan, () => use(this.#reader(connection, guest))),
        ),
      )
      .catch((error: unknown) => {
        throw asRowhouseError(error);
      });
  }

  #reader(connection: Connection, guest: TrustLevel): Reader {
    connection.limitLength(MAX_LENGTH[guest]);
    const maxLengthBytes = MAX_LENGTH[guest];
    return { connection, columns: this.#columns, maySplitResult: guest === "trusted", maxLengthBytes };
  }
}
