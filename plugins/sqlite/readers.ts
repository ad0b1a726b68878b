import {
  InvalidSql,
  type DatabaseVersion,
  type ReadOptions,
  type Rows,
  type SqlParams,
  type StreamOptions,
} from "rowhouse/plugin-api";
import { parameterNames } from "./bind.js";
import { ColumnCache } from "./columns.js";
import { confined } from "./confined.js";
import type { Connection } from "./connection.js";
import { asRowhouseError } from "./errors.js";
import { MAX_LENGTH, MAX_STATEMENT, openReader, recovering, type ConnectionPlan } from "./open.js";
import { Pool, type Guest } from "./pool.js";
import { readRaw } from "./raw.js";
import { answer, type Answer, type Question, type Reader } from "./read.js";
import type { RowForm } from "./row-text.js";
import { withoutFileNames } from "./file-names.js";
import { singleStatement } from "./statement.js";
import { openStream, type RowStream } from "./stream.js";
import { traced } from "./tracing.js";
import { asVersion, readCounters, VersionPoll } from "./version.js";
import { patiently } from "./patience.js";

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

/** A batch of a stream; `truncated` on the last one when rows were left out. */
export interface StreamedRows {
  readonly columns: readonly string[];
  readonly rows: readonly string[];
  readonly truncated: boolean;
}

/** The connections that read one database, and what is asked through them. */
export class Readers {
  readonly #pages: Pool;
  readonly #streams: Pool;
  readonly #poller: Pool;
  readonly #columns = new ColumnCache();
  readonly #streaming = new Set<RowStream>();
  readonly #poll: VersionPoll;
  #generation = 0;

  constructor(
    private readonly plan: ConnectionPlan,
    private readonly lookAtFile: () => Promise<void> | void,
  ) {
    const pool = (size: number): Pool =>
      new Pool({ open: () => openReader(plan), size, patienceMs: PATIENCE_MS });
    this.#pages = pool(Math.max(1, plan.rowhouse.setting("num_sql_threads")));
    this.#streams = pool(STREAMS_AT_ONCE);
    this.#poller = pool(1);
    this.#poll = new VersionPoll(async () => {
      const { generation } = this;
      const counters = await this.#lent(this.#poller, "trusted", undefined, readCounters);
      return asVersion(counters, generation);
    });
  }

  /** Moves when another file takes the place of the one that was open. */
  get generation(): number {
    return this.#generation;
  }

  /** @throws InvalidSql when it is not one statement that reads */
  question(
    sql: string,
    params: SqlParams | undefined,
    options: ReadOptions,
    form: (columns: readonly string[]) => RowForm,
  ): Question {
    if (options.trust === "stranger" && sql.length > MAX_STATEMENT) {
      throw new InvalidSql("Statement is too long");
    }
    const statement = singleStatement(options.trust === "stranger" ? withoutFileNames(sql) : sql);
    if (options.trust === "stranger" && parameterNames(statement).length > MAX_NAMED_PARAMETERS) {
      throw new InvalidSql("too many SQL variables");
    }
    const isSelect = SELECTS.has(statement.verb) || statement.verb === "";
    if (!isSelect && !CHEAP.has(statement.verb)) throw new InvalidSql("Statement must be a SELECT");
    if (statement.verb === "pragma" && options.trust === "stranger") {
      throw new InvalidSql("Statement must be a SELECT");
    }
    const {
      timeLimitMs = this.plan.rowhouse.setting("sql_time_limit_ms"),
      signal,
      maxRows,
      maxCells,
      columns,
      confine,
    } = options;
    return { statement, params, limits: { timeLimitMs, signal }, maxRows, maxCells, columns, confine, form };
  }

  answer(question: Question, options: ReadOptions): Promise<Answer> {
    return traced(this.plan.location.name, question, () =>
      this.use(options.trust ?? "trusted", options.signal, (reader) =>
        confined(reader.connection, question, (confinedQuestion) => answer(reader, confinedQuestion)),
      ),
    );
  }

  /** EXPLAIN and PRAGMA. */
  raw(question: Question, options: ReadOptions): Promise<Rows> {
    const { params, limits, maxRows = Infinity } = question;
    return this.use(options.trust ?? "trusted", options.signal, async ({ connection }) => {
      const { columns, rows } = await confined(connection, question, ({ statement }) =>
        readRaw(connection, statement, params, limits),
      );
      return { columns, rows: rows.slice(0, maxRows), truncated: rows.length > maxRows };
    });
  }

  async *batches(question: Question, options: StreamOptions): AsyncGenerator<StreamedRows> {
    const { maxRows = Infinity } = question;
    const trust = options.trust ?? "trusted";
    await this.lookAtFile();
    const lease = await this.#streams.borrow(trust, options.signal);
    let left = maxRows;
    let stream: RowStream | undefined;
    try {
      const reader = this.#reader(lease.connection, trust);
      // The first step keeps the snapshot: the transaction around it may end while the statement runs on.
      const opened = await confined(lease.connection, question, (confinedQuestion) =>
        openStream(reader, confinedQuestion, options.batchSize ?? BATCH_SIZE),
      );
      stream = opened;
      this.#streaming.add(opened);
      for await (const { columns, rows } of opened.batches) {
        yield { columns, rows: rows.slice(0, left), truncated: rows.length > left };
        left -= rows.length;
        if (left < 0) return;
      }
    } catch (error) {
      throw asRowhouseError(error);
    } finally {
      if (stream !== undefined) this.#streaming.delete(stream);
      lease.end();
    }
  }

  /** Sees to it that no stream keeps a lock, however slowly its rows are taken. */
  readonly streams = {
    areOpen: (): boolean => this.#streaming.size > 0,
    release: async (): Promise<void> => {
      await Promise.all([...this.#streaming].map((stream) => stream.release().catch(() => undefined)));
    },
  };

  /** As of a poll that begins now or later, or began at `sinceMs` or later. */
  version(sinceMs?: number): Promise<DatabaseVersion> {
    const look = this.lookAtFile();
    return look instanceof Promise ? look.then(() => this.#poll.ask(sinceMs)) : this.#poll.ask(sinceMs);
  }

  /** Lends a reading connection to `use`; its errors come out as ours. */
  use<T>(guest: Guest, signal: AbortSignal | undefined, use: (reader: Reader) => Promise<T>): Promise<T> {
    const lend = (): Promise<T> => this.#lent(this.#pages, guest, signal, use);
    const look = this.lookAtFile();
    return look instanceof Promise ? look.then(lend) : lend();
  }

  renew(): void {
    this.#generation += 1;
    this.#columns.clear();
    for (const pool of this.#all()) pool.renew();
  }

  async close(): Promise<void> {
    await Promise.all(this.#all().map((pool) => pool.close()));
  }

  #all = (): readonly Pool[] => [this.#pages, this.#streams, this.#poller];

  #lent<T>(
    pool: Pool,
    guest: Guest,
    signal: AbortSignal | undefined,
    use: (reader: Reader) => Promise<T>,
  ): Promise<T> {
    const patienceMs = Math.min(LOCK_PATIENCE_MS, this.plan.rowhouse.setting("lock_wait_ms"));
    const deadline = performance.now() + patienceMs;
    return pool
      .use(guest, signal, (connection) =>
        patiently(deadline, () => recovering(this.plan, () => use(this.#reader(connection, guest)))),
      )
      .catch((error: unknown) => {
        throw asRowhouseError(error);
      });
  }

  #reader(connection: Connection, guest: Guest): Reader {
    connection.limitLength(MAX_LENGTH[guest]);
    const maxLengthBytes = MAX_LENGTH[guest];
    return { connection, columns: this.#columns, maySplit: guest === "trusted", maxLengthBytes };
  }
}
