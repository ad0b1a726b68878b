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
  leastBusy(limitMs: number): SqlProcess | null {
    return this.#sharable(limitMs).reduce(leastOf, null);
  }

  /** The busiest one that is still likely to be done within `limitMs`: the others are left to rest. */
  busiest(limitMs: number, fits: (process: SqlProcess) => boolean): SqlProcess | null {
    return this.#sharable(limitMs).filter(fits).reduce(mostOf, null);
  }

  #sharable(limitMs: number): SqlProcess[] {
    return [...this.#loans]
      .filter(([{ isAlive, isHeldUp }, { use, holders }]) => {
        return use === "answer" && holders < PIPELINE && isAlive && !isHeldUp;
      })
      .map(([process]) => process)
      .filter(({ expectedMs }) => expectedMs <= limitMs);
  }
}

const leastOf = (best: SqlProcess | null, one: SqlProcess): SqlProcess =>
  best === null || one.expectedMs < best.expectedMs ? one : best;

const mostOf = (best: SqlProcess | null, one: SqlProcess): SqlProcess =>
  best === null || one.expectedMs > best.expectedMs ? one : best;
