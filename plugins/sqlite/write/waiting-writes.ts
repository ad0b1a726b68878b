import { setImmediate as nextTurn } from "node:timers/promises";
import { takeBatch } from "./batch.js";
import { GroupCommitPolicy } from "./policy.js";
import type { WriteJob } from "./job.js";

// Who waits may join a commit, but not for so long that those already in it notice.
const JOIN_WITHIN_MS = 20;
const JOIN_AT_MOST = 200;

/** The writes waiting for a database's one writer, in order of arrival, and who of them may share a commit. */
export class WaitingWrites {
  readonly #waiting: WriteJob[] = [];
  readonly #company = new GroupCommitPolicy();
  #closed = false;

  push(job: WriteJob): void {
    this.#waiting.push(job);
    this.#company.noteArrival();
  }

  shift(): WriteJob | undefined {
    return this.#waiting.shift();
  }

  /** Those waiting, in order. */
  get waiting(): readonly WriteJob[] {
    return this.#waiting;
  }

  /** Back to where they were taken from. */
  putBack(jobs: readonly WriteJob[]): void {
    this.#waiting.unshift(...jobs);
  }

  /** From now on nobody is waited for. */
  close(): void {
    this.#closed = true;
  }

  /** Takes whoever says the same right behind `first`. @returns both, in order */
  takeBatch(first: WriteJob): readonly WriteJob[] {
    return takeBatch(first, this.#waiting, JOIN_AT_MOST);
  }

  /** As `takeAlike`, for a commit of their own; null, with nobody taken, where others wait who could share it. */
  async collectBatch(first: WriteJob): Promise<readonly WriteJob[] | null> {
    const most = this.#share;
    await this.#gather(most);
    const jobs = takeBatch(first, this.#waiting, most);
    if (jobs.length === most || this.#waiting.length === 0) return jobs;
    this.putBack(jobs.slice(1));
    return null;
  }

  /** As many as should share a commit, where they wait at the front and say the same; else nobody. */
  takeFullBatch(): readonly WriteJob[] {
    const most = this.#share;
    const first = this.#waiting.length < most ? undefined : this.#waiting.shift();
    if (first === undefined) return [];
    const jobs = takeBatch(first, this.#waiting, most);
    if (jobs.length === most) return jobs;
    this.putBack(jobs);
    return [];
  }

  /** Who joins a transaction of `count` works that began at `started`, perhaps after a moment. */
  async next(started: number, count: number): Promise<WriteJob | undefined> {
    const latest = started + JOIN_WITHIN_MS;
    if (performance.now() > latest || count >= JOIN_AT_MOST) return undefined;
    if (this.#waiting.length === 0) await this.#arrival(count, latest);
    return this.#waiting[0]?.options.transaction === false ? undefined : this.#waiting.shift();
  }

  /** After each commit. */
  noteCommit(count: number, startedMs: number): void {
    this.#company.noteCommit(count + this.#waiting.length, performance.now() - startedMs);
  }

  get #share(): number {
    return Math.min(this.#company.targetBatchSize, JOIN_AT_MOST);
  }

  /** Waits for those who shared the last commits and are on their way again, until there are `most`. */
  async #gather(most: number): Promise<void> {
    const latest = performance.now() + JOIN_WITHIN_MS;
    for (let count = 0; count <= this.#waiting.length && this.#waiting.length + 1 < most;) {
      count = 1 + this.#waiting.length;
      // Whose request has come already is here after the next turn.
      if (this.#company.isQuicklyStored) await nextTurn();
      else await this.#arrival(count, latest);
    }
  }

  async #arrival(count: number, latest: number): Promise<void> {
    const deadline = Math.min(latest, this.#company.waitsUntil(count, performance.now()));
    if (!this.#closed && deadline > performance.now()) await this.#company.next(deadline);
  }
}
