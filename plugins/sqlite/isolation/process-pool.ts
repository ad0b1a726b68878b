import { sqlProcessTraces } from "rowhouse/plugin-api/contracts";
import { QueryInterrupted } from "rowhouse/plugin-api/errors";
import type { CancelSignal } from "../open/time-limit.js";
import { tooManyQueries, waitFor, type WaitingCaller } from "../open/waiting.js";
import { Durations, UNKNOWN, type Estimate } from "./durations.js";
import { FairQueue } from "./fair-queue.js";
import { NotBegun, type Answered } from "./in-flight.js";
import { Loans, type Use } from "./loans.js";
import { SqlProcess, type Draft } from "./process.js";

export interface ProcessPoolOptions {
  /** How many processes each use may have. */
  readonly limits: Readonly<Record<Use, number>>;
  readonly memoryBytes: number;
}

/** What a process is needed for. */
export interface ProcessRequest {
  readonly use: Use;
  /** The database that is read: one that a process has open already is preferred. */
  readonly source: string;
  /** Requests with the same key wait for each other, those with other keys take turns with them. */
  readonly key: string;
  readonly signal: CancelSignal | undefined;
}

/** A statement that can be sent again to another process. */
export interface Reading extends Omit<ProcessRequest, "use"> {
  readonly command: Draft;
  readonly timeLimitMs: number;
  /** Statements of one group take about equally long when they are new. */
  readonly group: string;
  /** Opens the database in a process that does not have it open. */
  readonly open: (process: SqlProcess) => Promise<void>;
  /** Called if the process has ended while it ran this statement. */
  readonly died: (process: SqlProcess) => void;
}

interface Waiting extends ProcessRequest, WaitingCaller<SqlProcess> {
  readonly estimate: Estimate;
}

const WAIT_LIMIT_MS = 10_000;
const MOST_WAITING = 500;
const IDLE_LIMIT_MS = 30_000;
const LOOK_FOR_IDLE_EVERY_MS = 5_000;
/** One process does statements as short as this faster than several, which would have to be woken up for each. */
const SHORT_MS = 2;
/** A short statement is sent to a process that is likely to be done so soon, even if another one is idle. */
const JOIN_BELOW_MS = 10;
/** When all processes are at work, a statement is sent to one that is likely to be done so soon. */
const LONGEST_BACKLOG_MS = 20;
/** How long a statement may hold up those behind it in its process. */
const HOLD_UP_MS = 20;
const TICK_MS = 20;
const TICKS_PER_MEMORY_CHECK = 5;

/** Processes that are started when first needed, and ended when idle for long. README.md describes who gets which. */
export class ProcessPool {
  readonly #processes = new Set<SqlProcess>();
  /** With the time since when. */
  readonly #idle = new Map<SqlProcess, number>();
  readonly #loans: Loans;
  readonly #queue = new FairQueue<Waiting>();
  readonly #durations = new Durations();
  #starting = 0;
  #ticker: NodeJS.Timeout | undefined;
  #ticks = 0;
  #sweeper: NodeJS.Timeout | undefined;

  constructor(private readonly options: ProcessPoolOptions) {
    this.#loans = new Loans(options.limits);
  }

  /**
   * Reads in a process. A statement that did not begin, because the one before it took long or killed the process, is
   * sent to another process; that time does not count against its limit.
   *
   * @throws DatabaseUnavailable when no process becomes free in time or none can be started, QueryInterrupted when the
   *   caller goes away or the time is over, and what the process replies
   */
  async answer(reading: Reading): Promise<Answered> {
    const { source, signal, timeLimitMs, command, key, group } = reading;
    const latestMs = performance.now() + WAIT_LIMIT_MS;
    for (;;) {
      const estimate = this.#durations.estimate(group, key);
      const lent = this.#lend({ use: "answer", source, key, signal }, estimate, latestMs);
      const process = lent instanceof Promise ? await lent : lent;
      try {
        if (!process.hasOpen(source)) await process.opened(source, () => reading.open(process));
        const asked = process.ask(command, { timeLimitMs, signal, expectedMs: estimate.expectedMs });
        this.#loans.sent(process, estimate);
        const answered = await asked;
        if (answered.reply.type === "rows") this.#durations.record(group, key, answered.reply.tookMs);
        return answered;
      } catch (error) {
        if (error instanceof NotBegun) continue;
        if (error instanceof QueryInterrupted) this.#durations.record(group, key, timeLimitMs);
        if (!process.isAlive) reading.died(process);
        throw error;
      } finally {
        this.giveBack(process, estimate);
      }
    }
  }

  /**
   * Lends a process until `giveBack`.
   *
   * @throws DatabaseUnavailable when none becomes free in time or none can be started, QueryInterrupted when the
   *   caller goes away
   */
  async borrow(request: ProcessRequest): Promise<SqlProcess> {
    return this.#lend(request, UNKNOWN, performance.now() + WAIT_LIMIT_MS);
  }

  /** The process can be used by others as soon as it has stopped working. */
  giveBack(process: SqlProcess, estimate = UNKNOWN): void {
    this.#loans.giveBack(process, estimate);
    this.#changed(process);
  }

  /** Closes a database in every process. */
  close(source: string): void {
    for (const process of this.#processes) process.close(source);
  }

  #lend(request: ProcessRequest, estimate: Estimate, latestMs: number): SqlProcess | Promise<SqlProcess> {
    if (request.signal?.aborted === true) throw new QueryInterrupted("The caller went away.");
    if (this.#queue.size === 0) {
      const process = this.#placeFor(request, estimate);
      if (process !== null) return this.#take(process, request.use, estimate);
    }
    return this.#wait(request, estimate, latestMs);
  }

  #wait(request: ProcessRequest, estimate: Estimate, latestMs: number): Promise<SqlProcess> {
    if (this.#queue.size >= MOST_WAITING) return Promise.reject(tooManyQueries());
    const { key, signal } = request;
    const limitMs = Math.max(0, latestMs - performance.now());
    const lent = waitFor<SqlProcess>({ limitMs, signal }, (caller) => {
      const waiting = { ...request, estimate, ...caller };
      this.#queue.push(key, waiting);
      return () => this.#queue.remove(key, waiting);
    });
    this.#dispatch();
    return lent;
  }

  /** The process that a request gets now; null if it has to wait. */
  #placeFor({ use, source }: ProcessRequest, estimate: Estimate): SqlProcess | null {
    const isAnswer = use === "answer";
    if (isAnswer && estimate.expectedMs <= SHORT_MS) {
      const joined = this.#loans.busiest(JOIN_BELOW_MS, (process) => process.hasOpen(source));
      if (joined !== null) return joined;
    }
    if (this.#loans.hasRoom(use)) {
      const idle = [...this.#idle.keys()];
      const found = idle.findLast((process) => process.hasOpen(source)) ?? idle.at(-1);
      if (found !== undefined) return found;
    }
    if (!isAnswer) return null;
    return this.#loans.leastBusy(LONGEST_BACKLOG_MS);
  }

  #take(process: SqlProcess, use: Use, estimate: Estimate): SqlProcess {
    const isCrowded = this.#loans.expectedMs(process) > JOIN_BELOW_MS;
    this.#loans.add(process, use, estimate);
    this.#idle.delete(process);
    this.#ticker ??= setInterval(() => this.#tick(), TICK_MS).unref();
    if (isCrowded && this.#idle.size === 0 && this.#starting === 0 && this.#loans.hasRoom(use))
      void this.#start();
    return process;
  }

  /** A process has answered, was given back, or has died. */
  #changed = (process: SqlProcess): void => {
    if (this.#loans.endIfUnused(process) && process.isAlive) this.#rest(process);
    if (this.#queue.size > 0) this.#dispatch();
  };

  /** Short statements first, as they hold up the others by little; they may share a process, so the others get theirs. */
  #dispatch(): void {
    this.#dispatchThose(
      ({ estimate: { isKnown, expectedMs } }) => isKnown && expectedMs <= LONGEST_BACKLOG_MS,
    );
    this.#dispatchThose(() => true);
    const needed = this.#waitingWithRoom() - this.#idle.size - this.#starting;
    for (let count = 0; count < needed; count += 1) void this.#start();
  }

  #dispatchThose(fits: (waiting: Waiting) => boolean): void {
    let place: SqlProcess | null = null;
    // Where one has no place, no other of the same use has.
    const full = new Set<Use>();
    const hasPlace = (waiting: Waiting): boolean => {
      if (full.has(waiting.use) || !fits(waiting)) return false;
      place = this.#placeFor(waiting, waiting.estimate);
      if (place === null) full.add(waiting.use);
      return place !== null;
    };
    for (;;) {
      const waiting = this.#queue.shift(hasPlace);
      if (waiting === undefined || place === null) return;
      waiting.take(this.#take(place, waiting.use, waiting.estimate));
    }
  }

  #waitingWithRoom(): number {
    if (this.#queue.size === 0) return 0;
    const started = (use: Use): number =>
      Math.min(
        this.#loans.room(use),
        this.#queue.count((waiting) => waiting.use === use),
      );
    return started("answer") + started("stream");
  }

  /** A process that runs a long statement may have to be killed: another one is started ahead, ready to replace it. */
  #keepSpare(): void {
    const isReady = this.#idle.size > 0 || this.#starting > 0 || this.#loans.hasRoom("answer");
    if (!isReady && this.#loans.processes().some((process) => process.isHeldUp)) void this.#start();
  }

  /** Processes that were killed count until they have ended. */
  #mayStart(): boolean {
    const { answer, stream } = this.options.limits;
    return this.#processes.size + this.#starting < answer + stream;
  }

  #rest(process: SqlProcess): void {
    this.#idle.set(process, performance.now());
    this.#sweeper ??= setInterval(() => this.#sweep(), LOOK_FOR_IDLE_EVERY_MS).unref();
  }

  async #start(): Promise<void> {
    if (!this.#mayStart()) return;
    this.#starting += 1;
    try {
      const started = await SqlProcess.start({
        memoryBytes: this.options.memoryBytes,
        changed: this.#changed,
      });
      this.#processes.add(started);
      sqlProcessTraces.publish({ state: "started" });
      void started.ended.then(() => this.#ended(started));
      this.#rest(started);
    } catch (error) {
      this.#queue.shift(({ use }) => this.#loans.hasRoom(use))?.refuse(error as Error);
    } finally {
      this.#starting -= 1;
    }
    this.#dispatch();
  }

  #ended(process: SqlProcess): void {
    sqlProcessTraces.publish({ state: "ended" });
    this.#processes.delete(process);
    this.#idle.delete(process);
    this.#dispatch();
  }

  /** Ends processes that have been idle for long. */
  #sweep(): void {
    const now = performance.now();
    for (const [process, sinceMs] of this.#idle) {
      if (now - sinceMs < IDLE_LIMIT_MS) continue;
      this.#idle.delete(process);
      process.end();
    }
    if (this.#processes.size > 0) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }

  #tick(): void {
    this.#ticks += 1;
    const checksMemory = this.#ticks % TICKS_PER_MEMORY_CHECK === 0;
    for (const process of this.#loans.processes()) {
      process.recallBehind(HOLD_UP_MS);
      if (checksMemory) process.limitMemory();
    }
    this.#keepSpare();
    if (this.#loans.size > 0) return;
    clearInterval(this.#ticker);
    this.#ticker = undefined;
  }
}
