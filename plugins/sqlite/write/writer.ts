import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import type { Transaction } from "rowhouse/plugin-api";
import type { BulkStatement, WriteOptions } from "rowhouse/plugin-api/engine";
import {
  DatabaseUnavailable,
  failedIn,
  NestedWrite,
  ReadOnlyDatabase,
  SqlFailed,
} from "rowhouse/plugin-api/errors";
import type { Connection } from "../open/connection.js";
import { asRowhouseError, isLockTimeout } from "../open/errors.js";
import { retryWhileBusy } from "../open/time-limit.js";
import { journalMode, runJob, SharedTransaction, type CommitContext } from "./commit.js";
import { commitBatches } from "./pipeline.js";
import { rejectAll, WriteQueue, type WriteJob } from "./queue.js";
import { WriteTransaction } from "./transaction.js";

export interface WriterOptions extends Pick<CommitContext, "schemas" | "streams"> {
  readonly database: string;
  /** How long a write without `timeoutMs` waits for locks of other processes. */
  readonly timeoutMs: number;
  readonly open: () => Promise<Connection>;
  /**
   * Runs before each transaction.
   *
   * @throws DatabaseUnavailable if the file is gone, ReadOnlyDatabase if it may not be written to
   */
  readonly checkFile: () => Promise<void>;
}

interface Job extends WriteJob {
  readonly writer: Writer;
}

/** The writes whose work the current code is part of. */
const runningJobs = new AsyncLocalStorage<readonly Job[]>();
/** Writers with queued writes. `runningJobs` is disabled without any, because it slows down all promises. */
const busyWriters = new Set<Writer>();

/** Runs the writes of one database one after the other. See README.md for the states and the guarantees. */
export class Writer {
  readonly #queue: WriteQueue;
  readonly #connection: WriterConnection;
  readonly #context: CommitContext;
  /** Settles when the queue is empty; null while the writer is idle. */
  #running: Promise<void> | null = null;
  #isClosed = false;

  constructor(private readonly options: WriterOptions) {
    const { open, checkFile, schemas, streams } = options;
    this.#queue = new WriteQueue(options.database);
    this.#connection = new WriterConnection(open);
    const isCurrentFile = async (connection: Connection): Promise<boolean> => {
      await checkFile();
      return this.#connection.isCurrent(connection);
    };
    this.#context = { queue: this.#queue, schemas, streams, isCurrentFile };
  }

  /** As `Database.write`. */
  async write<T>(work: (transaction: Transaction) => Promise<T>, options: WriteOptions<T> = {}): Promise<T> {
    const outer = runningJobs.getStore() ?? [];
    if (outer.some((job) => job.writer === this && job.isRunning))
      throw new NestedWrite(this.options.database);
    if (this.#isClosed) throw new DatabaseUnavailable("The database is closed.");
    // The work runs in the async context of its caller, not in that of the write that started the loop.
    const context = new AsyncResource("rowhouse.write", { requireManualDestroy: true });
    return new Promise<unknown>((resolve, reject) => {
      const job: Job = {
        writer: this,
        options,
        deadlineMs: performance.now() + (options.timeoutMs ?? this.options.timeoutMs),
        work: (transaction) =>
          context.runInAsyncScope(() => runningJobs.run([...outer, job], () => work(transaction))),
        bulk: mayUseBulk(options) ? ((options.bulk ?? null) as BulkStatement<unknown> | null) : null,
        resolve,
        reject,
        isRunning: false,
      };
      this.#queue.push(job);
      this.#running ??= this.#runQueued();
    }).catch((error: unknown) => {
      // SQLite reports this for a read-only file system and for files of other users.
      const isReadOnly = error instanceof SqlFailed && error.kind === "read-only";
      // SQLite opens a file that it can't write to for reading only, and the connection remains so.
      if (isReadOnly) void this.renew();
      throw isReadOnly
        ? new ReadOnlyDatabase("Database file is read-only")
        : failedIn(this.options.database, error);
    }) as Promise<T>;
  }

  /** The number of writes that are not in a transaction yet. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Opens the connection now instead of with the first write. */
  async open(): Promise<void> {
    await this.#connection.get();
  }

  /** Completes the queued writes, and refuses further ones. */
  async complete(): Promise<void> {
    this.#isClosed = true;
    this.#queue.close();
    await this.#running;
  }

  /** Completes the queued writes and closes the connection. */
  async close(): Promise<void> {
    await this.complete();
    await this.#connection.close();
  }

  /** Closes the connection; the next write opens a new one. */
  renew(): Promise<void> {
    return this.#connection.renew();
  }

  async #runQueued(): Promise<void> {
    busyWriters.add(this);
    await Promise.resolve(); // writes of the same turn share the first commit
    for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) {
      try {
        await this.options.checkFile();
        // Opening reads the file, which another process may have locked.
        const connection = await retryWhileBusy(job.deadlineMs, () => this.#connection.get());
        await this.#run(connection, job);
      } catch (error) {
        job.reject(asRowhouseError(error));
        // To try each of them takes SQLite a tenth of a second, and the lock is still held.
        if (isLockTimeout(error)) rejectAll(this.#queue.takeOverdue(), error);
      }
    }
    // In the turn in which the queue was empty: the next write must start the loop again.
    this.#running = null;
    busyWriters.delete(this);
    if (busyWriters.size === 0) runningJobs.disable();
  }

  /** Settles a write, and others that share its commit. */
  async #run(connection: Connection, job: WriteJob): Promise<void> {
    if (job.options.transaction === false) {
      job.resolve(await runJob(job, new WriteTransaction(connection, this.options.schemas)));
      return;
    }
    if (await commitBatches(connection, this.#context, job)) return;
    await new SharedTransaction(connection, this.#context).run(job);
  }
}

/** The bulk form replaces only the transaction that is committed. */
const mayUseBulk = ({ dryRun, transaction }: WriteOptions): boolean =>
  dryRun !== true && transaction !== false;

/** Bytes to which SQLite truncates a journal that a large transaction has left. */
const MAX_KEPT_JOURNAL_BYTES = 1_048_576;

/** The one connection that writes to a database. It is opened when it is first used. */
class WriterConnection {
  #connection: Promise<Connection> | null = null;

  constructor(private readonly open: () => Promise<Connection>) {}

  /** Opens the connection if it is not open. Rejects with the error of opening it; the next call tries again. */
  async get(): Promise<Connection> {
    this.#connection ??= this.#open();
    try {
      return await this.#connection;
    } catch (error) {
      this.#connection = null;
      throw error;
    }
  }

  /** True if `connection` has not been replaced. */
  async isCurrent(connection: Connection): Promise<boolean> {
    return (await this.#connection) === connection;
  }

  /** Closes the connection without changing the file, which may be another one by now. */
  async renew(): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    await connection?.then((open) => open.close()).catch(() => undefined);
  }

  async close(): Promise<void> {
    // A reader can prevent the deletion. An empty journal that remains does no harm.
    await this.#connection?.then(deleteJournal).catch(() => undefined);
    await this.renew();
  }

  async #open(): Promise<Connection> {
    const connection = await this.open();
    // Another process can prevent it. Writes are slower then, but correct.
    await persistJournal(connection).catch(() => undefined);
    return connection;
  }
}

/**
 * Keeps the rollback journal between transactions, without content. To create and delete the file for each transaction
 * takes a disk longer than to write it. Changes nothing if the database has a write-ahead log.
 */
async function persistJournal(connection: Connection): Promise<void> {
  if ((await journalMode(connection)) !== "delete") return;
  await connection.exec(
    `pragma journal_mode = persist; pragma journal_size_limit = ${MAX_KEPT_JOURNAL_BYTES}`,
  );
}

/** Deletes a journal that was kept: other programs expect none beside a file that is closed. */
async function deleteJournal(connection: Connection): Promise<void> {
  if ((await journalMode(connection)) === "persist") await connection.exec("pragma journal_mode = delete");
}
