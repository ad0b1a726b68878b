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
export const MAX_COLLECT_MS = 20;
/** Writes in one commit. With 200, a commit costs each write 0.5% of its time; more only increase the latency. */
export const MAX_BATCH_WRITES = 200;

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
