import type { SqlProcess } from "./process.js";

/** What a process is lent for: answers share it, a stream has it alone for as long as its client reads. */
export type Use = "answer" | "stream";

interface Loan {
  readonly use: Use;
  /** Callers that have not given it back. */
  holders: number;
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

  has = (process: SqlProcess): boolean => this.#loans.has(process);

  add(process: SqlProcess, use: Use): void {
    const loan = this.#loans.get(process);
    if (loan === undefined) this.#loans.set(process, { use, holders: 1 });
    else loan.holders += 1;
  }

  giveBack(process: SqlProcess): void {
    const loan = this.#loans.get(process);
    if (loan !== undefined) loan.holders -= 1;
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

  /** The process with answers under way that is done first, if that is likely to be within `limitMs`. */
  leastBusy(limitMs: number, fits: (process: SqlProcess) => boolean = () => true): SqlProcess | null {
    let best: SqlProcess | null = null;
    let bestMs = limitMs;
    for (const [process, { use, holders }] of this.#loans) {
      if (use !== "answer" || holders >= PIPELINE || !process.isAlive || process.isHeldUp) continue;
      const { expectedMs } = process;
      if (expectedMs > bestMs || !fits(process)) continue;
      best = process;
      bestMs = expectedMs;
    }
    return best;
  }
}
