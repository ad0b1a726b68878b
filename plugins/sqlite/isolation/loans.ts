import type { Estimate } from "./durations.js";
import type { SqlProcess } from "./process.js";

/** What a process is lent for: answers share it, a stream has it alone for as long as its client reads. */
export type Use = "answer" | "stream";

interface Loan {
  readonly use: Use;
  /** Callers that have not given it back. */
  holders: number;
  /** Of statements that were not sent yet: the process opens their database, or they are sent in this turn. */
  readonly unsent: Set<Estimate>;
}

/** Statements that are sent to one process before the first of them is answered. */
const PIPELINE = 8;

/** Which processes are in use, and for what. */
export class Loans {
  readonly #loans = new Map<SqlProcess, Loan>();

  /** @param limits how many processes each use may have */
  constructor(private readonly limits: Readonly<Record<Use, number>>) {}

  get size(): number {
    return this.#loans.size;
  }

  processes(): readonly SqlProcess[] {
    return [...this.#loans.keys()];
  }

  add(process: SqlProcess, use: Use, estimate: Estimate): void {
    const loan = this.#loans.get(process) ?? { use, holders: 0, unsent: new Set() };
    loan.holders += 1;
    loan.unsent.add(estimate);
    this.#loans.set(process, loan);
  }

  /** The process itself counts the statement from now on. */
  sent(process: SqlProcess, estimate: Estimate): void {
    this.#loans.get(process)?.unsent.delete(estimate);
  }

  /** How long a process is likely to work on what it was and will be sent; 0 without a loan. */
  expectedMs(process: SqlProcess): number {
    let sum = process.expectedMs;
    for (const { expectedMs } of this.#loans.get(process)?.unsent ?? []) sum += expectedMs;
    return sum;
  }

  giveBack(process: SqlProcess, estimate: Estimate): void {
    const loan = this.#loans.get(process);
    if (loan === undefined) return;
    loan.holders -= 1;
    loan.unsent.delete(estimate);
  }

  /** Ends the loan of a process that has no holder and no work. @returns whether it did */
  endIfUnused(process: SqlProcess): boolean {
    if (this.#loans.get(process)?.holders !== 0 || process.isBusy) return false;
    return this.#loans.delete(process);
  }

  /** How many more processes a use may have. Those that will be killed do not count. */
  room(use: Use): number {
    let room = this.limits[use];
    for (const [process, loan] of this.#loans) if (loan.use === use && !process.isStopping) room -= 1;
    return room;
  }

  hasRoom = (use: Use): boolean => this.room(use) > 0;

  /** The process with answers under way that is done first, if that is likely to be within `limitMs`. */
  leastBusy(limitMs: number): SqlProcess | null {
    return this.#sharable(limitMs, { fits: () => true, isBetter: (ms, bestMs) => ms < bestMs });
  }

  /** The busiest one that is still likely to be done within `limitMs`: the others are left to rest. */
  busiest(limitMs: number, fits: (process: SqlProcess) => boolean): SqlProcess | null {
    return this.#sharable(limitMs, { fits, isBetter: (ms, bestMs) => ms >= bestMs });
  }

  /** Each short statement looks for one: a loop without lists takes a twentieth of the time. */
  #sharable(limitMs: number, { fits, isBetter }: Choice): SqlProcess | null {
    let best: SqlProcess | null = null;
    let bestMs = 0;
    for (const [process, { use, holders }] of this.#loans) {
      if (use !== "answer" || holders >= PIPELINE || !process.isAlive || process.isHeldUp) continue;
      const expectedMs = this.expectedMs(process);
      if (expectedMs > limitMs || (best !== null && !isBetter(expectedMs, bestMs)) || !fits(process))
        continue;
      best = process;
      bestMs = expectedMs;
    }
    return best;
  }
}

/** Which process of several is taken. */
interface Choice {
  readonly fits: (process: SqlProcess) => boolean;
  readonly isBetter: (expectedMs: number, bestMs: number) => boolean;
}
