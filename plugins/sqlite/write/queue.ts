import { setImmediate as nextTurn } from "node:timers/promises";
import type { Transaction } from "rowhouse/plugin-api";
import { commitTraces } from "rowhouse/plugin-api/contracts";
import type { BulkStatement, WriteOptions } from "rowhouse/plugin-api/engine";
import { takeBatch } from "./batch.js";

/**
 * The longest wait for more writes, in ms. It bounds the latency that group commit adds on slow disks: 5 ms is a third
 * of a commit on a network disk (15.6 ms, docs/performance.md).
 */
const MAX_WAIT_MS = 5;
/**
 * A wait may take at most this share of an average commit. Clients that send again after the last commit arrive within
 * 0.05 ms each (docs/performance.md), 16 of them within 0.8 ms: a quarter of a commit of 3.1 ms.
 */
const MAX_WAIT_SHARE_OF_COMMIT = 0.25;
/**
 * Event-loop time of the HTTP server for one write, in ms (measured: docs/performance.md, `cpu`). If a commit takes less
 * than this per client, the disk is idle while the event loop works. Two alternating batches keep both busy.
 */
const HANDLING_MS_PER_WRITE = 0.03;
/**
 * A disk counts as fast until the average commit is slower than the limit by this factor. The average of a steady disk
 * varies: 0.78 ms at the 10th percentile, 0.96 ms at the 50th (1,851 commits on a local disk, a ratio of 1.23). Without
 * the factor, the policy would alternate between two modes that are equally good at the limit.
 */
const FAST_DISK_TOLERANCE = 1.33;
/** Weight of the latest commit in the average: a slower disk is noticed within about five commits. */
const COMMIT_TIME_WEIGHT = 0.2;
/**
 * Decay of the expected number of writes per commit. After clients leave, the policy expects half as many after three
 * commits; a client that skips one or two commits is still expected.
 */
const EXPECTED_WRITES_DECAY = 0.75;
/** How long writes may join a batch, in ms, so that the latency of its first write stays low. */
const MAX_COLLECT_MS = 20;
/** Writes in one commit. With 200, a commit costs each write 0.5% of its time; more only increase the latency. */
const MAX_BATCH_WRITES = 200;

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

/**
 * Decides how many writes share one commit and how long to wait for them.
 *
 * Clients send the next write as soon as the last one is answered. So the size of recent batches predicts the size of
 * the next one. The policy keeps a decaying maximum of recent batch sizes and a moving average of the commit time.
 *
 * @example
 * const policy = new GroupCommitPolicy();
 * policy.recordCommit({ writes: 16, commitMs: 0.4 });
 * policy.targetBatchSize; // 8: the disk is fast, so two batches alternate
 */
export class GroupCommitPolicy {
  #expectedWrites = 1;
  #averageCommitMs = 0;
  #isDiskFast = true;

  /** @param commit `writes` counts the writes of the batch and those that arrived during its commit */
  recordCommit({ writes, commitMs }: { readonly writes: number; readonly commitMs: number }): void {
    this.#expectedWrites = Math.max(writes, Math.floor(this.#expectedWrites * EXPECTED_WRITES_DECAY));
    this.#averageCommitMs += (commitMs - this.#averageCommitMs) * COMMIT_TIME_WEIGHT;
    const limitMs = this.#expectedWrites * HANDLING_MS_PER_WRITE;
    this.#isDiskFast = this.#averageCommitMs < (this.#isDiskFast ? limitMs * FAST_DISK_TOLERANCE : limitMs);
  }

  /** True if a commit ends before the event loop has answered all clients. */
  get isDiskFast(): boolean {
    return this.#isDiskFast;
  }

  /**
   * Writes that should share the next commit. On a fast disk half of the clients: one half is committed while the other
   * half is answered and sends again. On a slow disk all of them.
   */
  get targetBatchSize(): number {
    return this.#isDiskFast ? Math.ceil(this.#expectedWrites / 2) : Number.POSITIVE_INFINITY;
  }

  /** How long a batch of `writes` waits for the next write, in ms; 0 if no further one is expected. */
  waitMs(writes: number): number {
    if (writes >= this.#expectedWrites) return 0;
    return Math.min(this.#averageCommitMs * MAX_WAIT_SHARE_OF_COMMIT, MAX_WAIT_MS);
  }
}

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

  /** Takes the writes that may not wait for a lock any longer. */
  takeOverdue(): readonly WriteJob[] {
    const nowMs = performance.now();
    const jobs = this.#jobs.splice(0);
    this.#jobs.push(...jobs.filter(({ deadlineMs }) => deadlineMs > nowMs));
    return jobs.filter(({ deadlineMs }) => deadlineMs <= nowMs);
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
    if (commitTraces.hasSubscribers)
      commitTraces.publish({ database: this.database, writes: count, ms: commitMs });
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
