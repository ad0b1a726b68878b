import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseUnavailable, SchemaChanged } from "rowhouse/plugin-api/errors";
import type { Connection } from "../open/connection.js";
import { asRowhouseError } from "../open/errors.js";
import { retryWhileBusy } from "../open/time-limit.js";
import { runBatch } from "./batch.js";
import { rejectAll, type WriteJob, type WriteQueue } from "./queue.js";
import { WriteTransaction, type SchemaLookup, type SharedState } from "./transaction.js";

/** What a commit uses of its database. */
export interface CommitContext {
  readonly queue: WriteQueue;
  readonly schemas: SchemaLookup;
  /**
   * False if another file has replaced the one that this connection writes to.
   *
   * @throws DatabaseUnavailable if the file is gone, ReadOnlyDatabase if it may not be written to
   */
  readonly isCurrentFile: (connection: Connection) => Promise<boolean>;
  /** Streams keep a read lock until they are released. */
  readonly streams: { areOpen(): boolean; release(): Promise<void> };
}

interface CompletedWrite {
  readonly job: WriteJob;
  readonly result: unknown;
}

/** One transaction for a write and those that join it. Each of them can be rolled back alone. */
export class SharedTransaction {
  readonly #completed: CompletedWrite[] = [];
  readonly #savepoint: Savepoint;
  readonly #shared: SharedState = { schemaChanged: false };

  constructor(
    private readonly connection: Connection,
    private readonly context: CommitContext,
  ) {
    this.#savepoint = new Savepoint(connection);
  }

  /** Settles `first` and the writes that join. @throws DatabaseUnavailable if another process keeps the lock */
  async run(first: WriteJob): Promise<void> {
    // Not a prepared statement: one that finds the lock taken stays active until it runs again.
    await retryWhileBusy(first.deadlineMs, () => this.connection.exec("begin immediate"));
    const startedMs = performance.now();
    let job: WriteJob | undefined = first;
    for (; job !== undefined; job = await this.context.queue.nextFor(startedMs, this.#completed.length)) {
      if (this.#shared.schemaChanged && hasSchema(job)) {
        // Only the commit decides whether the schema for which this write was prepared still exists.
        this.context.queue.putBack([job]);
        break;
      }
      const isOpen = job.bulk === null ? await this.#runWork(job) : await this.#runBulk(job);
      // To roll back the first write ends the transaction.
      if (!isOpen || this.#completed.length === 0) return;
    }
    await this.#commit();
  }

  /** Runs the work of a write. @returns false if SQLite has rolled back the transaction */
  async #runWork(job: WriteJob): Promise<boolean> {
    const transaction = this.#transaction();
    try {
      await this.#savepoint.set();
      await requireSchema(job, transaction);
      const result = await runJob(job, transaction);
      if (transaction.lost) throw transaction.lost;
      if (job.options.dryRun === true) {
        await this.#savepoint.rollBack();
        job.resolve(result);
      } else {
        this.#savepoint.keep();
        this.#completed.push({ job, result });
      }
      return true;
    } catch (error) {
      // The caller may expect that the lock is free.
      try {
        return await this.#rollBackWrite(error);
      } finally {
        job.reject(asRowhouseError(error));
      }
    }
  }

  /** Runs `first` and the writes behind it with the same bulk statement as one statement. @returns as `#runWork` */
  async #runBulk(first: WriteJob): Promise<boolean> {
    const jobs = this.context.queue.takeBatch(first);
    const transaction = this.#transaction();
    try {
      await this.#savepoint.set();
      await requireSchema(first, transaction);
      const writes = jobs.flatMap(({ bulk }) => bulk ?? []);
      const results = await runBatch(transaction, writes);
      this.#savepoint.keep();
      jobs.forEach((job, index) => this.#completed.push({ job, result: results[index] }));
      return true;
    } catch (error) {
      // One of the writes caused the failure. Without their bulk form, each fails or succeeds by itself.
      for (const job of jobs) job.bulk = null;
      this.context.queue.putBack(jobs);
      return this.#rollBackWrite(error);
    }
  }

  #transaction(): WriteTransaction {
    return new WriteTransaction(this.connection, this.context.schemas, this.#shared);
  }

  /**
   * Rolls back the latest write.
   *
   * @returns false if SQLite has rolled back the transaction. The other writes are queued again, except for work that may
   *   have effects outside of the transaction: these writes fail.
   */
  async #rollBackWrite(error: unknown): Promise<boolean> {
    if (await this.#savepoint.tryRollBack()) return true;
    const jobs = this.#completed.map(({ job }) => job);
    this.context.queue.putBack(jobs.filter(mayRepeat));
    rejectAll(
      jobs.filter((job) => !mayRepeat(job)),
      rolledBack(error),
    );
    return false;
  }

  async #commit(): Promise<void> {
    const jobs = this.#completed.map(({ job }) => job);
    const deadlineMs = Math.max(...jobs.map((job) => job.deadlineMs), performance.now());
    const startedMs = performance.now();
    try {
      await retryWhileBusy(deadlineMs, async () => {
        await this.#releaseStreams(deadlineMs);
        await this.connection.exec("commit");
      });
    } catch (error) {
      await this.connection.exec("rollback").catch(() => undefined);
      return rejectAll(jobs, asRowhouseError(error));
    }
    this.context.queue.recordCommit(jobs.length, startedMs);
    for (const { job, result } of this.#completed) job.resolve(result);
  }

  /** A stream may last for minutes, and its read lock blocks a commit, except with a write-ahead log. */
  async #releaseStreams(deadlineMs: number): Promise<void> {
    const { streams } = this.context;
    if (!streams.areOpen() || (await journalMode(this.connection)) === "wal") return;
    await Promise.race([streams.release(), timeUp(deadlineMs)]);
  }
}

const mayRepeat = ({ bulk, options }: WriteJob): boolean => bulk !== null || options.repeatable === true;

const hasSchema = ({ options }: WriteJob): boolean => (options.schema ?? null) !== null;

/** @throws SchemaChanged */
async function requireSchema({ options }: WriteJob, transaction: WriteTransaction): Promise<void> {
  const version = options.schema?.version;
  if (version !== undefined && (await transaction.schema()).version !== version) throw new SchemaChanged();
}

/** Runs the work of a write, and waits for the statements that it left unfinished. If one of them fails, so does the write. */
export async function runJob(job: WriteJob, transaction: WriteTransaction): Promise<unknown> {
  job.isRunning = true;
  const end = (): Promise<void> => {
    job.isRunning = false;
    return transaction.end();
  };
  try {
    const result = await job.work(transaction);
    await end();
    return result;
  } catch (error) {
    await end().catch(() => undefined);
    throw error;
  }
}

const timeUp = (deadlineMs: number): Promise<void> =>
  sleep(Math.max(0, deadlineMs - performance.now()), undefined, { ref: false });

const rolledBack = (cause: unknown): DatabaseUnavailable =>
  new DatabaseUnavailable("Another write undid the transaction this one was part of; nothing was written.", {
    cause,
  });

/**
 * Rolls back single writes of a transaction that several writes share.
 *
 * The first write needs no savepoint: to roll it back ends the transaction. Each further write has one. It replaces the
 * savepoint of the write before in the same call, so it costs one call of the driver per write.
 */
class Savepoint {
  #isFirstWrite = true;
  #isSet = false;

  constructor(private readonly connection: Connection) {}

  /** Call this before each write. */
  async set(): Promise<void> {
    if (this.#isFirstWrite) return;
    await this.connection.exec(this.#isSet ? "release work; savepoint work" : "savepoint work");
    this.#isSet = true;
  }

  /** The write remains part of the transaction. */
  keep(): void {
    this.#isFirstWrite = false;
  }

  /** Rolls the write back. @throws DriverError if SQLite has already rolled back the transaction */
  async rollBack(): Promise<void> {
    await this.connection.exec(this.#isFirstWrite ? "rollback" : "rollback to work");
  }

  /** Like `rollBack`. @returns false if SQLite has already rolled back the transaction (RAISE(ROLLBACK), a full disk) */
  async tryRollBack(): Promise<boolean> {
    try {
      await this.rollBack();
      return true;
    } catch {
      await this.connection.exec("rollback").catch(() => undefined);
      return false;
    }
  }
}

/** `delete`, `persist`, `wal`, ... */
export async function journalMode(connection: Connection): Promise<string> {
  const sql = "pragma journal_mode";
  const [row] = await connection.all<{ journal_mode: string }>({ sql });
  return row?.journal_mode ?? "";
}
