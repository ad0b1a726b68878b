// However long commits take, nobody waits longer than this for others to come.
const LONGEST_MS = 5;
const SHARE_OF_COMMIT = 0.25;

/**
 * Whether a transaction should wait for works that are on their way. Where commits are slow and several were there
 * last time, as many are about to be again: who was answered asks anew, and joins those who wait already.
 */
export class Company {
  #expected = 1;
  #commitMs = 0;
  #arrived: (() => void) | null = null;

  /** After each commit. @param count of the works that shared it, or came meanwhile */
  noteCommit(count: number, commitMs: number): void {
    this.#expected = count;
    this.#commitMs = commitMs;
  }

  /** Somebody has come. */
  noteArrival(): void {
    this.#arrived?.();
    this.#arrived = null;
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
