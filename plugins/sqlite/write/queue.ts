import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import {
  DatabaseUnavailable,
  NestedWrite,
  ReadOnlyDatabase,
  SqlFailed,
  type BulkStatement,
  type Transaction,
  type WriteOptions,
} from "rowhouse/plugin-api";
import type { Connection } from "../open/connection.js";
import { asRowhouseError } from "../open/errors.js";
import { runJob, SharedTransaction, type CommitContext } from "./commit.js";
import { commitBatches } from "./pipeline.js";
import type { WriteJob } from "./job.js";
import { WaitingWrites } from "./waiting-writes.js";
import { WriteTransaction } from "./transaction.js";
import { Writer } from "./writer.js";

export interface WriteQueueOptions extends Omit<CommitContext, "line" | "isCurrent"> {
  readonly database: string;
  /** How long other processes' locks are waited for, where a write does not say. */
  readonly timeoutMs: number;
  readonly open: () => Promise<Connection>;
  /** Before each transaction: is the file still ours to write to? */
  readonly beforeTransaction: () => Promise<void>;
}

interface Job extends WriteJob {
  readonly queue: WriteQueue;
}

/** Jobs whose work the current code is part of. */
const runningJobs = new AsyncLocalStorage<readonly Job[]>();
/** Queues at work. While there is none, following every promise of the process is saved: it slows all reading. */
const atWork = new Set<WriteQueue>();

// Nobody waits for its end.
const ASKERS_CONTEXT = { requireManualDestroy: true };

/** One writer and the works waiting for it, in order of arrival. */
export class WriteQueue {
  readonly #line = new WaitingWrites();
  readonly #writer: Writer;
  readonly #around: CommitContext;
  #draining: Promise<void> | null = null;
  #closed = false;

  constructor(private readonly options: WriteQueueOptions) {
    this.#writer = new Writer(options.open);
    this.#around = {
      line: this.#line,
      host: options.host,
      streams: options.streams,
      isCurrent: async (connection) => {
        await options.beforeTransaction();
        return this.#writer.isOpenAs(connection);
      },
    };
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
        bulk: isPlain(options) ? ((options.bulk ?? null) as BulkStatement<unknown> | null) : null,
        resolve,
        reject,
        running: false,
      };
      this.#line.push(job);
      this.#draining ??= this.#drain();
    }).catch((error: unknown) => {
      // The operating system has the same to say of a file on a read-only mount, or of another owner.
      const isReadOnly = error instanceof SqlFailed && error.kind === "read-only";
      throw isReadOnly ? new ReadOnlyDatabase("Database file is read-only") : error;
    }) as Promise<T>;
  }

  /** Opens the writer now rather than with the first write. */
  async open(): Promise<void> {
    await this.#writer.connection();
  }

  /** Finishes what is queued and closes the writer. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#line.close();
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
    for (let job = this.#line.shift(); job !== undefined; job = this.#line.shift()) {
      try {
        await this.options.beforeTransaction();
        await this.#settle(await this.#writer.connection(), job);
      } catch (error) {
        job.reject(asRowhouseError(error));
      }
    }
    // In the same turn in which the queue was found empty: whoever comes next must set it going again.
    this.#draining = null;
    atWork.delete(this);
    if (atWork.size === 0) runningJobs.disable();
  }

  async #settle(connection: Connection, job: WriteJob): Promise<void> {
    if (job.options.transaction === false) {
      job.resolve(await runJob(job, new WriteTransaction(connection, this.options.host)));
      return;
    }
    if (await commitBatches(connection, this.#around, job)) return;
    await new SharedTransaction(connection, this.#around).run(job);
  }
}

/** Is it a transaction that stays? */
const isPlain = ({ dryRun, transaction }: WriteOptions): boolean => dryRun !== true && transaction !== false;
