import { messageOf } from "rowhouse/plugin-api";
import type { DatabaseVersion } from "rowhouse/plugin-api/engine";
import { DatabaseUnavailable } from "rowhouse/plugin-api/errors";
import { withJournalRecovery, type ConnectionPlan, type DatabasePlan } from "../open/open-connection.js";
import { LONGEST_TIMER_MS } from "../open/time-limit.js";
import type { QueryResult } from "../read/run-query.js";
import type { HostQuery } from "../read/query.js";
import { ROW_SEPARATOR, type RowFormat } from "../read/row-text.js";
import { readAhead, type StreamedRows } from "../read/stream.js";
import { recorder, sentParams, type SentPlan, type SentQuery } from "./messages.js";
import { snapshotOf } from "./memory-snapshot.js";
import type { Answered, AskLimits } from "./in-flight.js";
import type { SqlProcess } from "./process.js";
import type { ProcessPool } from "./process-pool.js";

export interface IsolatedReaderOptions {
  readonly plan: DatabasePlan;
  readonly pool: ProcessPool;
  readonly lockWaitMs: number;
  /** Increases when another file replaces the one that was open. */
  readonly generation: () => number;
  readonly version: () => Promise<DatabaseVersion>;
}

let readers = 0;

/** Reads one database in processes that can be killed. */
export class IsolatedReader {
  readonly #id = (readers += 1);
  readonly #streaming = new Set<SqlProcess>();
  /** The name under which processes opened the database last. */
  #current: string | null = null;
  #active = 0;
  #closed = false;
  #drained: (() => void) | null = null;

  constructor(private readonly options: IsolatedReaderOptions) {}

  async answer(query: HostQuery): Promise<QueryResult> {
    const { columns, body } = await this.#read(query);
    return { columns, texts: body.length === 0 ? [] : [body], isWireJson: query.format.kind === "json" };
  }

  async *batches(query: HostQuery, batchSize: number): AsyncGenerator<StreamedRows> {
    this.#begin();
    try {
      yield* readAhead(this.#batches(query, batchSize));
    } finally {
      this.#end();
    }
  }

  async *#batches(query: HostQuery, batchSize: number): AsyncGenerator<StreamedRows> {
    const source = await this.#source();
    const lent = await this.#borrow(query, source);
    const limits = limitsOf(query);
    try {
      const sent = this.#sent(query);
      this.#streaming.add(lent);
      let answered = await lent.ask({ type: "stream", source, query: sent, batchSize }, limits);
      while (answered.reply.type === "rows") {
        const { columns } = answered.reply;
        const rows = rowsIn(textOf(answered.body, query.format));
        yield { columns, rows, truncated: false, isWireJson: query.format.kind === "json" };
        answered = await lent.ask({ type: "next" }, limits);
      }
    } finally {
      this.#streaming.delete(lent);
      await endStream(lent, limits.timeLimitMs);
      this.#giveBack(lent);
    }
  }

  /** Resolves when no stream holds a lock any more. */
  async release(timeLimitMs: number): Promise<void> {
    await Promise.all([...this.#streaming].map((lent) => lent.release(timeLimitMs).catch(() => undefined)));
  }

  /** Closes the database in all processes; the next read opens it again. */
  renew(): void {
    if (this.#current !== null) this.options.pool.close(this.#current);
    this.#current = null;
  }

  /** Rejects further reads, and resolves when the running ones have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#active > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
    this.renew();
  }

  async #read(query: HostQuery): Promise<{ columns: readonly string[]; body: Buffer }> {
    const sent = this.#sent(query);
    this.#begin();
    try {
      const { reply, body } = await withJournalRecovery(this.options.plan, () => this.#readOnce(query, sent));
      return { columns: reply.type === "rows" ? reply.columns : [], body };
    } finally {
      this.#end();
    }
  }

  async #readOnce(query: HostQuery, sent: SentQuery): Promise<Answered> {
    const { path } = this.options.plan;
    const source = path === null ? await this.#source() : this.#fileSource();
    const { signal } = query.limits;
    return this.options.pool.answer({
      source,
      key: this.#key(query),
      group: String(this.#id),
      signal,
      timeLimitMs: sent.timeLimitMs,
      command: { type: "read", source, query: sent },
      open: (process) => this.#openIn(process, source),
      died: (process) => this.#reportDeath(process),
    });
  }

  #sent(query: HostQuery): SentQuery {
    const { statement, params, limits, maxRows, maxCells, columns, allowlist, format } = query;
    const { lockWaitMs } = this.options;
    const { timeLimitMs = LONGEST_TIMER_MS } = limits;
    return {
      sql: statement.sql,
      params: sentParams(params),
      timeLimitMs,
      maxRows,
      maxCells,
      columns,
      allowlist,
      format,
      lockWaitMs,
    };
  }

  #key = ({ statement }: HostQuery): string => `${this.#id} ${statement.sql}`;

  /** The name under which processes have the database open: another one for another file. */
  #fileSource = (): string => `${this.#id} ${this.options.generation()}`;

  async #source(): Promise<string> {
    const { plan, version } = this.options;
    return plan.path === null ? `${this.#id} ${(await version()).data}` : this.#fileSource();
  }

  /** A process for a stream, which has the database open. */
  async #borrow(query: HostQuery, source: string): Promise<SqlProcess> {
    const { signal } = query.limits;
    const lent = await this.options.pool.borrow({ use: "stream", source, key: this.#key(query), signal });
    try {
      if (!lent.hasOpen(source)) await this.#openIn(lent, source);
      return lent;
    } catch (error) {
      this.#giveBack(lent);
      throw error;
    }
  }

  async #openIn(lent: SqlProcess, source: string): Promise<void> {
    if (this.#current !== source) this.renew();
    this.#current = source;
    const { plan } = this.options;
    if (plan.path !== null) return lent.open(source, await sentPlan(plan, lent.heapLimitBytes));
    const snapshot = await snapshotOf(plan);
    try {
      await lent.open(source, await sentPlan(snapshot.plan, lent.heapLimitBytes));
    } finally {
      await snapshot.remove();
    }
  }

  #giveBack(lent: SqlProcess): void {
    if (!lent.isAlive) this.#reportDeath(lent);
    this.options.pool.giveBack(lent);
  }

  #reportDeath({ errorOutput, death }: SqlProcess): void {
    const { location, rowhouse } = this.options.plan;
    const reason = death === null ? "" : `: ${messageOf(death)}`;
    rowhouse.log?.warn(
      `A process for untrusted SQL on ${location.name} was ended${reason}${errorOutput === "" ? "" : `\n${errorOutput}`}`,
    );
  }

  #begin(): void {
    if (this.#closed) throw new DatabaseUnavailable("The database is closed.");
    this.#active += 1;
  }

  #end(): void {
    this.#active -= 1;
    if (this.#active === 0) this.#drained?.();
  }
}

/** If the caller has left, the process first ends the statement that it is running. */
async function endStream(lent: SqlProcess, timeLimitMs: number): Promise<void> {
  await lent.settled();
  if (lent.isAlive) await lent.ask({ type: "stop" }, { timeLimitMs }).catch(() => undefined);
}

const limitsOf = ({ limits: { timeLimitMs = LONGEST_TIMER_MS, signal } }: HostQuery): AskLimits => ({
  timeLimitMs,
  signal,
});

/** Finished JSON is plain ASCII. */
const textOf = (body: Buffer, { kind }: RowFormat): string =>
  body.toString(kind === "json" ? "latin1" : "utf8");

const rowsIn = (text: string): string[] => (text === "" ? [] : text.split(ROW_SEPARATOR));

/** Records what plugins do to a connection, so that the process can repeat it. */
async function sentPlan(plan: ConnectionPlan, heapLimitBytes: number): Promise<SentPlan> {
  const { location, base, path, cacheSizeKb, loadExtensions } = plan;
  const { connection, operations } = recorder();
  await plan.prepare(connection);
  return { location, base, path, cacheSizeKb, loadExtensions, heapLimitBytes, operations };
}
