// However long commits take, nobody waits longer than this for others to come.
const LONGEST_MS = 5;
const SHARE_OF_COMMIT = 0.25;
// A commit that takes less than this for each of those who come is done before the event loop has answered half of them.
const HANDLING_MS = 0.03;
// Between two ways that are about as good nobody should go back and forth.
const STAYS_WITHIN = 1.33;
const SMOOTHING = 0.2;
// Who left is forgotten within a few commits; who is about to come again is not.
const REMEMBERED = 0.75;

/**
 * With whom a transaction should share its commit. Several who were there lately are about to be there again: who was
 * answered asks anew, and joins those who wait already.
 */
export class GroupCommitPolicy {
  #expected = 1;
  #commitMs = 0;
  #isQuick = true;
  #arrived: (() => void) | null = null;

  /** After each commit. @param count of the works that shared it, or came meanwhile */
  noteCommit(count: number, commitMs: number): void {
    this.#expected = Math.max(count, Math.floor(this.#expected * REMEMBERED));
    this.#commitMs += (commitMs - this.#commitMs) * SMOOTHING;
    const limitMs = this.#expected * HANDLING_MS;
    this.#isQuick = this.#commitMs < (this.#isQuick ? limitMs * STAYS_WITHIN : limitMs);
  }

  /** Somebody has come. */
  noteArrival(): void {
    this.#arrived?.();
    this.#arrived = null;
  }

  /** Is the disk done before the event loop has answered everybody? */
  get isQuicklyStored(): boolean {
    return this.#isQuick;
  }

  /**
   * How many should share a commit, at most. Where the disk is quick, one half is written while the other is answered
   * and asks anew; else there is nothing to do but wait for it, for all at once.
   */
  get targetBatchSize(): number {
    return this.isQuicklyStored ? Math.ceil(this.#expected / 2) : Number.POSITIVE_INFINITY;
  }

  /**
   * Until when a transaction of `count` works may wait for the next, in `performance.now()` time.
   *
   * @param since when there was nobody left
   */
  waitsUntil(count: number, since: number): number {
    if (count >= this.#expected) return since;
    return since + Math.min(this.#commitMs * SHARE_OF_COMMIT, LONGEST_MS);
  }

  /** Resolves when somebody comes, or at `deadline`. */
  next(deadline: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, deadline - performance.now()));
      this.#arrived = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
