import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseUnavailable, SchemaChanged } from "rowhouse/plugin-api";
import { runBatch } from "./batch.js";
import type { Connection } from "../open/connection.js";
import { asRowhouseError } from "../open/errors.js";
import { journalMode } from "./persistent-journal.js";
import { retryWhileBusy } from "../open/busy-retry.js";
import { Savepoint } from "./savepoint.js";
import { refuse, type WriteJob } from "./job.js";
import type { WaitingWrites } from "./waiting-writes.js";
import { WriteTransaction, type SharedKnowledge, type TransactionHost } from "./transaction.js";

/** What a transaction needs of those around it. */
export interface CommitContext {
  readonly line: WaitingWrites;
  readonly host: TransactionHost;
  /** Is what this connection writes to still the database's file? @throws DatabaseUnavailable when there is none */
  readonly isCurrent: (connection: Connection) => Promise<boolean>;
  /** What reads for long, and lets go of its locks when asked to. */
  readonly streams: { areOpen(): boolean; release(): Promise<void> };
}

interface Done {
  readonly job: WriteJob;
  readonly result: unknown;
}

/** One transaction for a write and those who wait behind it, of which each can be taken back alone. */
export class SharedTransaction {
  readonly #done: Done[] = [];
  readonly #retreat: Savepoint;
  /** Told by the transactions that works write through. */
  readonly #shared: SharedKnowledge = { schemaTouched: false };

  constructor(
    private readonly connection: Connection,
    private readonly around: CommitContext,
  ) {
    this.#retreat = new Savepoint(connection);
  }

  /** Settles `first` and whoever joins. @throws DatabaseUnavailable when somebody else keeps the lock */
  async run(first: WriteJob): Promise<void> {
    // Not as a prepared statement: one that found the lock taken stays at work until it is run again.
    await retryWhileBusy(first.deadline, () => this.connection.exec("begin immediate"));
    const started = performance.now();
    let job: WriteJob | undefined = first;
    for (; job !== undefined; job = await this.around.line.next(started, this.#done.length)) {
      if (this.#shared.schemaTouched && hasSchema(job)) {
        // It may still hold under the committed schema, which nobody can know before the commit.
        this.around.line.putBack([job]);
        break;
      }
      const goesOn = job.bulk === null ? await this.#work(job) : await this.#lists(job);
      if (!goesOn) return;
      if (this.#done.length === 0) return; // it went back to before the transaction
    }
    await this.#commit();
  }

  /** Runs a work inside the transaction. @returns false when there is none any more */
  async #work(job: WriteJob): Promise<boolean> {
    const transaction = this.#transaction();
    try {
      await this.#retreat.prepare();
      await requireSchema(job, transaction);
      const result = await runJob(job, transaction);
      if (transaction.lost) throw transaction.lost;
      if (job.options.dryRun === true) {
        await this.#retreat.goBack();
        job.resolve(result);
      } else {
        this.#retreat.goOn();
        this.#done.push({ job, result });
      }
      return true;
    } catch (error) {
      job.reject(asRowhouseError(error));
      return this.#retreatOrRefuse(error);
    }
  }

  /** Does as one statement what `first` and those right behind it say alike. @returns as `#work` */
  async #lists(first: WriteJob): Promise<boolean> {
    const jobs = this.around.line.takeBatch(first);
    const transaction = this.#transaction();
    try {
      await this.#retreat.prepare();
      await requireSchema(first, transaction);
      const results = await runBatch(
        transaction,
        jobs.flatMap(({ bulk }) => bulk ?? []),
      );
      this.#retreat.goOn();
      jobs.forEach((job, index) => this.#done.push({ job, result: results[index] }));
      return true;
    } catch (error) {
      // Which of them can't be done, and why, shows when each is alone.
      for (const job of jobs) job.bulk = null;
      this.around.line.putBack(jobs);
      return this.#retreatOrRefuse(error);
    }
  }

  #transaction(): WriteTransaction {
    return new WriteTransaction(this.connection, this.around.host, this.#shared);
  }

  /** Takes the last work back. @returns false when SQLite has rolled everything back, which all are told then */
  async #retreatOrRefuse(error: unknown): Promise<boolean> {
    const isThere = await this.#retreat.tryToGoBack();
    if (!isThere) refuse(this.#jobs(), lostWithAnother(error));
    return isThere;
  }

  async #commit(): Promise<void> {
    const deadline = Math.max(...this.#jobs().map((job) => job.deadline), performance.now());
    const started = performance.now();
    try {
      await retryWhileBusy(deadline, async () => {
        await this.#makeWay(deadline);
        await this.connection.exec("commit");
      });
    } catch (error) {
      await this.connection.exec("rollback").catch(() => undefined);
      return refuse(this.#jobs(), asRowhouseError(error));
    }
    this.around.line.noteCommit(this.#done.length, started);
    for (const { job, result } of this.#done) job.resolve(result);
  }

  /** Streams last, and would keep a commit waiting, except in WAL mode, where readers and a writer do not meet. */
  async #makeWay(deadline: number): Promise<void> {
    const { streams } = this.around;
    if (!streams.areOpen()) return;
    if ((await journalMode(this.connection)) === "wal") return;
    await Promise.race([streams.release(), timeUp(deadline)]);
  }

  #jobs(): readonly WriteJob[] {
    return this.#done.map(({ job }) => job);
  }
}

const hasSchema = ({ options }: WriteJob): boolean => (options.schema ?? null) !== null;

/** @throws SchemaChanged */
async function requireSchema({ options }: WriteJob, transaction: WriteTransaction): Promise<void> {
  const version = options.schema?.version;
  if (version !== undefined && (await transaction.schema()).version !== version) throw new SchemaChanged();
}

/** Runs a write's own work; what it leaves unfinished is waited for. */
export async function runJob(job: WriteJob, transaction: WriteTransaction): Promise<unknown> {
  job.running = true;
  try {
    return await job.work(transaction);
  } finally {
    job.running = false;
    await transaction.end();
  }
}

const timeUp = (deadline: number): Promise<void> =>
  sleep(Math.max(0, deadline - performance.now()), undefined, { ref: false });

const lostWithAnother = (cause: unknown): DatabaseUnavailable =>
  new DatabaseUnavailable("Another write undid the transaction this one was part of; nothing was written.", {
    cause,
  });
