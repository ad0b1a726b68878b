import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Transaction } from "rowhouse/plugin-api";
import { commitTraces } from "rowhouse/plugin-api/contracts";
import type { BulkStatement, WriteOptions } from "rowhouse/plugin-api/engine";
import { DatabaseUnavailable, NestedWrite, SchemaChanged, UnknownOutcome } from "rowhouse/plugin-api/errors";
import { allEnded } from "../connect/all-ended.js";
import type { Cluster } from "../connect/cluster.js";
import { causeOf, isOutcomeUnknown, isSerializationFailure } from "../connect/errors.js";
import { logPosition } from "../connect/hosts.js";
import { lockTimeout } from "../connect/pool.js";
import type { Session } from "../connect/session.js";
import type { Versions } from "../schema/versions.js";
import { batchStatement, hasMissed, rowsOf, takeBatch, type BatchableWrite } from "./batch.js";
import { schemaSeenAfter, type SeenSchema } from "./seen-schema.js";
import { endedWork, rolledBackOnError, WriteTransaction } from "./transaction.js";

export interface WriterPlan {
  readonly database: string;
  readonly cluster: Cluster;
  readonly versions: Versions;
  /** Milliseconds for which a write waits for locks of others, unless it says otherwise. */
  readonly lockWaitMs: number;
  /** With standbys, reads must know the log position of the last write. */
  readonly hasStandbys: boolean;
}

/** A transaction that conflicts with one of another process is repeated this often. */
const MAX_ATTEMPTS = 5;

const CURRENT_POSITION = { text: "select pg_current_wal_lsn()", values: [] };

/** A queued write. */
interface Job extends BatchableWrite {
  readonly work: (transaction: Transaction) => Promise<unknown>;
  readonly options: WriteOptions<unknown>;
  /** Ends true: a task that the work has started may outlive it. */
  readonly own: { isOver: boolean };
  /** The request that has queued the write. */
  readonly context: AsyncResource;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs writes one at a time, in the order of the calls. Waiting writes with the same statement run as one, so that they
 * share their commit.
 */
export class Writer {
  readonly #waiting: Job[] = [];
  #running: Promise<void> | null = null;
  #closed = false;
  /** The write that the current code is part of. */
  readonly #inside = new AsyncLocalStorage<{ isOver: boolean }>();

  /** What is known of the schema, by connection: another one may be to a server with other transactions. */
  readonly #seen = new WeakMap<object, SeenSchema>();

  constructor(private readonly plan: WriterPlan) {}

  write<T>(work: (transaction: Transaction) => Promise<T>, options: WriteOptions<T> = {}): Promise<T> {
    if (this.#inside.getStore()?.isOver === false) throw new NestedWrite(this.plan.database);
    if (this.#closed) throw new DatabaseUnavailable("The database is closed.");
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({
        work,
        options: options as WriteOptions<unknown>,
        bulk: (options.bulk ?? null) as BulkStatement<unknown> | null,
        own: { isOver: false },
        context: new AsyncResource("write"),
        resolve: resolve as (result: unknown) => void,
        reject,
      });
      this.#running ??= this.#runAll();
    });
  }

  /** The number of writes that have not begun. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Completes the queued writes. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #runAll(): Promise<void> {
    // Writes that are queued in the same turn of the event loop share a statement.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = takeBatch(this.#waiting);
      if (batch.length > 0) {
        await this.#runTogether(batch);
      } else {
        const job = this.#waiting.shift();
        if (job !== undefined) await this.#runAlone(job);
      }
    }
    this.#running = null;
  }

  /**
   * If the common statement fails, each write runs by itself, and succeeds or fails by itself. All of this waits for
   * locks no longer than one write does, so that a locked table does not keep the writes behind it waiting.
   */
  async #runTogether(jobs: readonly Job[]): Promise<void> {
    const deadlineMs = performance.now() + this.plan.lockWaitMs;
    let rows: readonly (readonly string[])[];
    try {
      rows = await this.#store(jobs);
    } catch (error) {
      if (error instanceof UnknownOutcome) return jobs.forEach(({ reject }) => reject(error));
      for (const job of jobs) await this.#runAlone(job, deadlineMs - performance.now());
      return;
    }
    jobs.forEach(({ bulk, resolve, reject }, index) => {
      try {
        resolve(bulk?.result(rows[index] ?? []));
      } catch (error) {
        // The rows are stored: to run the write again would store them twice.
        reject(error);
      }
    });
  }

  async #runAlone(job: Job, timeoutMs = job.options.timeoutMs): Promise<void> {
    const { work, own, context, resolve, reject } = job;
    const options = timeoutMs === undefined ? job.options : { ...job.options, timeoutMs };
    const run = (): Promise<unknown> => this.#inside.run(own, () => this.#attempts(work, options));
    try {
      resolve(await context.runInAsyncScope(run));
    } catch (error) {
      reject(error);
    } finally {
      own.isOver = true;
    }
  }

  /**
   * Stores the items of all writes with one statement, which commits by itself: a round trip is most of its time.
   *
   * @returns the rows that each returns
   * @throws UnknownOutcome if the connection ends before the server has answered
   */
  async #store(jobs: readonly Job[]): Promise<readonly (readonly string[])[]> {
    return this.plan.cluster.use("write", async (session) => {
      const { connection } = session;
      const startedMs = performance.now();
      const seen = this.#seen.get(connection);
      this.#seen.delete(connection);
      const likely = await this.#run(session, jobs, seen);
      const done = hasMissed(likely.batch, likely.result) ? await this.#run(session, jobs) : likely;
      this.#traceCommit(jobs.length, startedMs);
      const schema = jobs[0]?.options.schema ?? null;
      const after = schema === null ? null : schemaSeenAfter(done.result.rows[0] ?? [], schema, seen);
      if (after !== null) this.#seen.set(connection, after);
      const { position } = done;
      if (position !== null)
        for (const { context } of jobs) context.runInAsyncScope(() => this.plan.cluster.noteWrite(position));
      return rowsOf(done.batch, done.result);
    });
  }

  async #run(session: Session, jobs: readonly Job[], seen?: SeenSchema) {
    const batch = batchStatement(jobs, this.plan.versions.fingerprintSql, seen);
    return { batch, ...(await this.#committed(session, () => session.runCommitted(batch))) };
  }

  async #attempts<T>(work: (transaction: Transaction) => Promise<T>, options: WriteOptions<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(work, options);
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isSerializationFailure(causeOf(error))) throw error;
        await sleep(2 ** attempt);
      }
    }
  }

  #attempt<T>(work: (transaction: Transaction) => Promise<T>, options: WriteOptions<T>): Promise<T> {
    return this.plan.cluster.use("write", (session) =>
      options.transaction === false
        ? this.#outside(session, work)
        : this.#inTransaction(session, work, options),
    );
  }

  async #outside<T>(session: Session, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const transaction = new WriteTransaction(session, (one) => this.plan.versions.at(one), null);
    return endedWork(transaction, work);
  }

  async #inTransaction<T>(
    session: Session,
    work: (transaction: Transaction) => Promise<T>,
    options: WriteOptions<T>,
  ): Promise<T> {
    const begin = (): Promise<void> => this.#begin(session, options as WriteOptions<unknown>);
    const transaction = new WriteTransaction(session, (one) => this.plan.versions.at(one), begin);
    const startedMs = performance.now();
    await begin();
    const result = await rolledBackOnError(session, async () => {
      const done = await endedWork(transaction, work);
      if (transaction.lost !== null) throw transaction.lost;
      // A commit would check the deferred constraints.
      if (options.dryRun === true) await session.exec("set constraints all immediate");
      return done;
    });
    if (options.dryRun === true) {
      await session.exec("rollback");
      return result;
    }
    const { position } = await this.#committed(session, () => session.exec("commit"));
    this.#traceCommit(1, startedMs);
    if (position !== null) this.plan.cluster.noteWrite(position);
    return result;
  }

  #traceCommit(writes: number, startedMs: number): void {
    if (!commitTraces.hasSubscribers) return;
    const { database } = this.plan;
    commitTraces.publish({ database, writes, ms: performance.now() - startedMs });
  }

  /** Begins a transaction. @throws SchemaChanged unless the database has the schema of the options */
  async #begin(session: Session, { timeoutMs, schema = null }: WriteOptions<unknown>): Promise<void> {
    await rolledBackOnError(session, async () => {
      const [, , version] = await session.together(() =>
        allEnded([
          session.begin("begin isolation level repeatable read read write"),
          timeoutMs === undefined ? null : session.exec(`set local ${lockTimeout(timeoutMs)}`),
          schema === null ? null : this.plan.versions.fingerprint(session),
        ]),
      );
      if (schema !== null && version !== schema.version) throw new SchemaChanged();
    });
  }

  /**
   * Runs a statement that commits, and asks in the same round trip for the log position after it, if reads must know it.
   *
   * @throws UnknownOutcome if the connection ends before the server has answered
   */
  async #committed<T>(
    session: Session,
    commit: () => Promise<T>,
  ): Promise<{ readonly result: T; readonly position: bigint | null }> {
    const [committing, asking] = session.together(() => {
      const committed = commit();
      // The rows are stored: a failure now only means that reads do not wait for them.
      const asked = this.plan.hasStandbys ? session.run(CURRENT_POSITION).catch(() => null) : null;
      return [committed, asked] as const;
    });
    const result = await committing.catch(async (error: unknown) => {
      // The session goes back to its pool after both.
      await asking;
      const cause = causeOf(error);
      throw isOutcomeUnknown(cause) ? new UnknownOutcome(undefined, { cause }) : error;
    });
    const asked = await asking;
    return { result, position: asked === null ? null : logPosition(asked.rows[0]?.[0] ?? "0/0") };
  }
}
