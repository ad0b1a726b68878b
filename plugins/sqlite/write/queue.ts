import { channel } from "node:diagnostics_channel";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Transaction } from "rowhouse/plugin-api";
import type { CommitTrace } from "rowhouse/plugin-api/contracts";
import type { BulkStatement, WriteOptions } from "rowhouse/plugin-api/engine";
import { takeBatch } from "./batch.js";
import { GroupCommitPolicy, MAX_BATCH_WRITES, MAX_COLLECT_MS } from "./policy.js";

/** A queued or running write. */
export interface WriteJob {
  readonly options: WriteOptions;
  /** Until when the write waits for locks of other processes, on the clock of `performance.now()`. */
  readonly deadlineMs: number;
  readonly work: (transaction: Transaction) => Promise<unknown>;
  /** The write in bulk form; null if it has none, and after the bulk form has failed. */
  bulk: BulkStatement<unknown> | null;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  isRunning: boolean;
}

/** Rejects writes that were not stored. */
export function rejectAll(jobs: readonly WriteJob[], error: unknown): void {
  for (const job of jobs) job.reject(error);
}

const commits = channel("rowhouse:commit");

/** The writes that wait for the writer of a database, in order of arrival, and which of them share a commit. */
export class WriteQueue {
  readonly #jobs: WriteJob[] = [];
  readonly #policy = new GroupCommitPolicy();
  #onArrival: (() => void) | null = null;
  #isClosed = false;

  constructor(private readonly database: string) {}

  get length(): number {
    return this.#jobs.length;
  }

  push(job: WriteJob): void {
    this.#jobs.push(job);
    this.#onArrival?.();
  }

  shift(): WriteJob | undefined {
    return this.#jobs.shift();
  }

  get first(): WriteJob | undefined {
    return this.#jobs[0];
  }

  /** Returns writes to the front, in their order of arrival. */
  putBack(jobs: readonly WriteJob[]): void {
    this.#jobs.unshift(...jobs);
  }

  /** Ends all waiting for further writes. */
  close(): void {
    this.#isClosed = true;
    this.#onArrival?.();
  }

  /** Takes the writes directly behind `first` that have the same statement. @returns all of them, in order */
  takeBatch(first: WriteJob): readonly WriteJob[] {
    return takeBatch(first, this.#jobs, MAX_BATCH_WRITES);
  }

  /**
   * Like `takeBatch`, for a commit of its own: waits for the writes that the policy expects.
   *
   * @returns null if other writes wait too, which can share the commit in a transaction; none are taken then
   */
  async collectBatch(first: WriteJob): Promise<readonly WriteJob[] | null> {
    const size = this.#targetBatchSize;
    await this.#collect(size);
    const jobs = takeBatch(first, this.#jobs, size);
    if (jobs.length === size || this.#jobs.length === 0) return jobs;
    this.putBack(jobs.slice(1));
    return null;
  }

  /** As many writes as the policy wants in a commit, if so many with the same statement are at the front; else none. */
  takeFullBatch(): readonly WriteJob[] {
    const size = this.#targetBatchSize;
    const first = this.#jobs.length < size ? undefined : this.#jobs.shift();
    if (first === undefined) return [];
    const jobs = takeBatch(first, this.#jobs, size);
    if (jobs.length === size) return jobs;
    this.putBack(jobs);
    return [];
  }

  /** The next write for a transaction with `count` writes that began at `startedMs`, perhaps after a short wait. */
  async nextFor(startedMs: number, count: number): Promise<WriteJob | undefined> {
    const latestMs = startedMs + MAX_COLLECT_MS;
    if (performance.now() > latestMs || count >= MAX_BATCH_WRITES) return undefined;
    if (this.#jobs.length === 0) await this.#arrival(count, latestMs);
    return this.first?.options.transaction === false ? undefined : this.#jobs.shift();
  }

  /** Call this after each commit. @param count of the writes that it contained */
  recordCommit(count: number, startedMs: number): void {
    const commitMs = performance.now() - startedMs;
    this.#policy.recordCommit({ writes: count + this.#jobs.length, commitMs });
    if (commits.hasSubscribers)
      commits.publish({ database: this.database, writes: count, ms: commitMs } satisfies CommitTrace);
  }

  get #targetBatchSize(): number {
    return Math.min(this.#policy.targetBatchSize, MAX_BATCH_WRITES);
  }

  /** Waits until there are `size` writes with the one already taken, or no more arrive. */
  async #collect(size: number): Promise<void> {
    const latestMs = performance.now() + MAX_COLLECT_MS;
    for (let seen = -1; seen < this.#jobs.length && this.#jobs.length + 1 < size;) {
      seen = this.#jobs.length;
      // On a fast disk, only requests that the sockets have received already are worth a wait.
      if (this.#policy.isDiskFast) await nextTurn();
      else await this.#arrival(1 + seen, latestMs);
    }
  }

  /** Resolves at the next arrival, or when a batch of `count` writes should not wait any longer. */
  #arrival(count: number, latestMs: number): Promise<void> {
    const waitMs = Math.min(this.#policy.waitMs(count), latestMs - performance.now());
    if (this.#isClosed || waitMs <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const arrived = (): void => {
        clearTimeout(timer);
        this.#onArrival = null;
        resolve();
      };
      const timer = setTimeout(arrived, waitMs);
      this.#onArrival = arrived;
    });
  }
}
