import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import {
  DatabaseUnavailable,
  NestedWrite,
  type ListStatement,
  type Transaction,
  type WriteOptions,
} from "rowhouse/plugin-api";
import { runAlike, takeAlike } from "./alike.js";
import { Company } from "./company.js";
import type { Connection } from "./connection.js";
import { journalMode } from "./kept-journal.js";
import { Retreat } from "./retreat.js";
import { asRowhouseError, isBusy, stillLocked } from "./errors.js";
import { Writer } from "./writer.js";
import { WriteTransaction, type TransactionHost } from "./write-transaction.js";

export interface WriteQueueOptions {
  readonly database: string;
  /** How long other processes' locks are waited for, where a write does not say. */
  readonly timeoutMs: number;
  readonly open: () => Promise<Connection>;
  /** Before each transaction: is the file still ours to write to? */
  readonly beforeTransaction: () => Promise<void>;
  /** What reads for long, and lets go of its locks when asked to. */
  readonly streams: { areOpen(): boolean; release(): Promise<void> };
  readonly host: TransactionHost;
}

interface Job {
  readonly queue: WriteQueue;
  readonly options: WriteOptions;
  /** When its patience with other processes' locks ends, in `performance.now()` time. */
  readonly deadline: number;
  readonly work: (transaction: Transaction) => Promise<unknown>;
  /** What may be done instead; null from when that has failed. */
  list: ListStatement<unknown> | null;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  running: boolean;
}

interface Done {
  readonly job: Job;
  readonly result: unknown;
}

/** A transaction that several works share. */
interface Shared {
  readonly connection: Connection;
  readonly retreat: Retreat;
  readonly done: Done[];
  schemaTouched: boolean;
}

/** Jobs whose work the current code is part of. */
const runningJobs = new AsyncLocalStorage<readonly Job[]>();
/** Queues at work. While there is none, following every promise of the process is saved: it slows all reading. */
const atWork = new Set<WriteQueue>();

// Nobody waits for its end.
const ASKERS_CONTEXT = { requireManualDestroy: true };

// Who waits may join a commit, but not for so long that those already in it notice.
const JOIN_WITHIN_MS = 20;
const JOIN_AT_MOST = 200;

/** One writer and the works waiting for it, in order of arrival. */
export class WriteQueue {
  readonly #waiting: Job[] = [];
  readonly #company = new Company();
  readonly #writer: Writer;
  #draining: Promise<void> | null = null;
  #closed = false;

  constructor(private readonly options: WriteQueueOptions) {
    this.#writer = new Writer(options.open);
  }

  /** As `Database.write`. */
  async write<T>(work: (transaction: Transaction) => Promise<T>, options: WriteOptions<T> = {}): Promise<T> {
    const outer = runningJobs.getStore() ?? [];
    if (outer.some((job) => job.queue === this && job.running)) throw new NestedWrite(this.options.database);
    if (this.#closed) throw new DatabaseUnavailable("The database is closed.");
    // The work runs in the asker's context, not in that of whoever set the queue going.
    const context = new AsyncResource("rowhouse.write", ASKERS_CONTEXT);
    return new Promise<unknown>((resolve, reject) => {
      const job: Job = {
        queue: this,
        options,
        deadline: performance.now() + (options.timeoutMs ?? this.options.timeoutMs),
        work: (transaction) =>
          context.runInAsyncScope(() => runningJobs.run([...outer, job], () => work(transaction))),
        list: options.dryRun === true ? null : ((options.list ?? null) as ListStatement<unknown> | null),
        resolve,
        reject,
        running: false,
      };
      this.#waiting.push(job);
      this.#company.noteArrival();
      this.#draining ??= this.#drain();
    }) as Promise<T>;
  }

  /** Opens the writer now rather than with the first write. */
  async open(): Promise<void> {
    await this.#writer.connection();
  }

  /** Finishes what is queued and closes the writer. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#draining;
    await this.#writer.close();
  }

  /** Lets the connection go; the next write opens a new one. */
  renew(): Promise<void> {
    return this.#writer.renew();
  }

  async #drain(): Promise<void> {
    atWork.add(this);
    await Promise.resolve(); // whoever asks in the same turn shares the first commit
    for (let job = this.#waiting.shift(); job !== undefined; job = this.#waiting.shift()) {
      try {
        await this.options.beforeTransaction();
        const connection = await this.#writer.connection();
        if (job.options.transaction === false) await this.#alone(connection, job);
        else await this.#together(connection, job);
      } catch (error) {
        job.reject(asRowhouseError(error));
      }
    }
    // In the same turn in which the queue was found empty: whoever comes next must set it going again.
    this.#draining = null;
    atWork.delete(this);
    if (atWork.size === 0) runningJobs.disable();
  }

  async #alone(connection: Connection, job: Job): Promise<void> {
    const transaction = new WriteTransaction(connection, this.options.host);
    job.resolve(await this.#run(job, transaction));
  }

  /** One transaction for `first` and those who wait behind it, of which each can be taken back alone. */
  async #together(connection: Connection, first: Job): Promise<void> {
    await patiently(first.deadline, () => connection.run(statement("begin immediate")));
    const started = performance.now();
    const done: Done[] = [];
    const shared = { connection, done, retreat: new Retreat(connection), schemaTouched: false };
    for (let job: Job | undefined = first; job !== undefined; job = await this.#next(started, done.length)) {
      const goesOn = job.list === null ? await this.#work(shared, job) : await this.#lists(shared, job);
      if (!goesOn) return;
      if (done.length === 0) return; // it went back to before the transaction
    }
    await this.#commit(connection, done);
  }

  /** Runs a work inside the transaction. @returns false when there is none any more */
  async #work(shared: Shared, job: Job): Promise<boolean> {
    const { connection, retreat, done } = shared;
    const transaction = new WriteTransaction(connection, this.options.host, shared);
    try {
      await retreat.prepare();
      const result = await this.#run(job, transaction);
      if (transaction.lost) throw transaction.lost;
      if (job.options.dryRun === true) {
        await retreat.goBack();
        job.resolve(result);
      } else {
        retreat.goOn();
        done.push({ job, result });
      }
      return true;
    } catch (error) {
      job.reject(asRowhouseError(error));
      return retreatOrRefuse(shared, error);
    }
  }

  /** Does as one statement what `first` and those right behind it say alike. @returns as `#work` */
  async #lists(shared: Shared, first: Job): Promise<boolean> {
    const { connection, retreat, done } = shared;
    const jobs = takeAlike(first, this.#waiting, JOIN_AT_MOST);
    const transaction = new WriteTransaction(connection, this.options.host, shared);
    try {
      await retreat.prepare();
      const results = await runAlike(
        transaction,
        jobs.flatMap(({ list }) => list ?? []),
      );
      retreat.goOn();
      jobs.forEach((job, index) => done.push({ job, result: results[index] }));
      return true;
    } catch (error) {
      // Which of them can't be done, and why, shows when each is alone.
      for (const job of jobs) job.list = null;
      this.#waiting.unshift(...jobs);
      return retreatOrRefuse(shared, error);
    }
  }

  async #run(job: Job, transaction: WriteTransaction): Promise<unknown> {
    job.running = true;
    try {
      return await job.work(transaction);
    } finally {
      job.running = false;
      await transaction.end();
    }
  }

  /** Who joins the transaction, perhaps after a moment. */
  async #next(started: number, count: number): Promise<Job | undefined> {
    const latest = started + JOIN_WITHIN_MS;
    if (performance.now() > latest || count >= JOIN_AT_MOST) return undefined;
    if (this.#waiting.length === 0 && !this.#closed) {
      const deadline = this.#company.waitsUntil(count, performance.now());
      if (deadline > performance.now()) await this.#company.next(Math.min(deadline, latest));
    }
    return this.#waiting[0]?.options.transaction === false ? undefined : this.#waiting.shift();
  }

  /** Streams last, and would keep a commit waiting, except in WAL mode, where readers and a writer do not meet. */
  async #makeWay(connection: Connection, deadline: number): Promise<void> {
    if (!this.options.streams.areOpen()) return;
    if ((await journalMode(connection)) === "wal") return;
    await Promise.race([this.options.streams.release(), timeUp(deadline)]);
  }

  async #commit(connection: Connection, done: readonly Done[]): Promise<void> {
    const deadline = Math.max(...done.map(({ job }) => job.deadline), performance.now());
    const started = performance.now();
    try {
      await patiently(deadline, async () => {
        await this.#makeWay(connection, deadline);
        await connection.run(statement("commit"));
      });
    } catch (error) {
      await connection.exec("rollback").catch(() => undefined);
      return refuse(done, asRowhouseError(error));
    }
    this.#company.noteCommit(done.length, performance.now() - started);
    for (const { job, result } of done) job.resolve(result);
  }
}

/** Takes the last work back. @returns false when SQLite has rolled everything back, which all are told then */
async function retreatOrRefuse({ retreat, done }: Shared, error: unknown): Promise<boolean> {
  const isThere = await retreat.tryToGoBack();
  if (!isThere) refuse(done, lostWithAnother(error));
  return isThere;
}

function refuse(done: readonly Done[], error: Error): void {
  for (const { job } of done) job.reject(error);
}

const timeUp = (deadline: number): Promise<void> =>
  sleep(Math.max(0, deadline - performance.now()), undefined, { ref: false });

const statement = (sql: string): { sql: string; values: readonly [] } => ({ sql, values: [] });

const lostWithAnother = (cause: unknown): DatabaseUnavailable =>
  new DatabaseUnavailable("Another write undid the transaction this one was part of; nothing was written.", {
    cause,
  });

/**
 * Tries again while another process holds the lock.
 *
 * @throws DatabaseUnavailable when it still does at `deadline`
 */
export const patiently = <T>(deadline: number, attempt: () => Promise<T>, pauseMs = 1): Promise<T> =>
  attempt().catch(async (error: unknown) => {
    if (!isBusy(error)) throw error;
    if (performance.now() >= deadline) throw stillLocked(error);
    await sleep(pauseMs);
    return patiently(deadline, attempt, Math.min(pauseMs * 2, 50));
  });
