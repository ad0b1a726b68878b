import { DatabaseUnavailable, QueryInterrupted } from "rowhouse/plugin-api";
import { FairQueue } from "./fair-queue.js";
import { SqlProcess } from "./process.js";

/** What a process is lent for: an answer takes one statement, a stream as long as its client reads. */
export type Use = "answer" | "stream";

export interface ProcessPoolOptions {
  /** How many processes each use may have. */
  readonly limits: Readonly<Record<Use, number>>;
  readonly memoryBytes: number;
}

interface Waiting {
  readonly use: Use;
  readonly key: string;
  readonly source: string;
  readonly take: (process: SqlProcess) => void;
  readonly refuse: (error: Error) => void;
}

/** What a loan is for. */
export interface Wish {
  readonly use: Use;
  /** The database that is read: one that a process has open already is preferred. */
  readonly source: string;
  /** Wishes of one key wait for each other, not for those of another. */
  readonly key: string;
  readonly signal: AbortSignal | undefined;
}

const WAIT_LIMIT_MS = 10_000;
const MOST_WAITING = 500;
const IDLE_LIMIT_MS = 30_000;
const LOOK_AT_MEMORY_EVERY_MS = 100;

/** Processes that are started when first needed, lent to one user at a time, and ended when idle for long. */
export class ProcessPool {
  readonly #processes = new Set<SqlProcess>();
  readonly #idle: SqlProcess[] = [];
  readonly #queue = new FairQueue<Waiting>();
  readonly #lent: Record<Use, number> = { answer: 0, stream: 0 };
  readonly #idleTimers = new Map<SqlProcess, NodeJS.Timeout>();
  #starting = 0;
  #memoryTimer: NodeJS.Timeout | undefined;

  constructor(private readonly options: ProcessPoolOptions) {}

  /**
   * Lends a process until `giveBack`.
   *
   * @throws DatabaseUnavailable when none becomes free in time or none can be started, QueryInterrupted when the
   *   caller goes away
   */
  borrow(wish: Wish): Promise<SqlProcess> {
    if (this.#queue.size >= MOST_WAITING) return Promise.reject(tooMany());
    const { use, signal } = wish;
    if (signal?.aborted === true) return Promise.reject(new QueryInterrupted("The caller went away."));
    if (this.#queue.size === 0 && this.#idle.length > 0 && this.#hasRoom(use)) {
      return Promise.resolve(this.#lend(wish));
    }
    return this.#wait(wish);
  }

  #wait({ use, key, source, signal }: Wish): Promise<SqlProcess> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", leave);
      };
      const waiting: Waiting = {
        use,
        key,
        source,
        take: (process) => (settle(), resolve(process)),
        refuse: (error) => (settle(), this.#queue.remove(key, waiting), reject(error)),
      };
      const leave = (): void => waiting.refuse(new QueryInterrupted("The caller went away."));
      const timer = setTimeout(() => waiting.refuse(tooMany()), WAIT_LIMIT_MS);
      signal?.addEventListener("abort", leave, { once: true });
      this.#queue.push(key, waiting);
      this.#dispatch();
    });
  }

  /** Takes a process back as soon as it has stopped working. */
  giveBack(use: Use, lent: SqlProcess): void {
    const free = (): void => {
      this.#lent[use] -= 1;
      if (lent.isAlive) this.#rest(lent);
      this.#dispatch();
      if (this.#lent.answer + this.#lent.stream === 0) this.#watchMemory(false);
    };
    if (lent.isBusy) void lent.settled().then(free);
    else free();
  }

  /** Closes a database in every process. No statement may be using it. */
  close(source: string): void {
    for (const process of this.#processes) process.close(source);
  }

  #dispatch(): void {
    while (this.#idle.length > 0) {
      const waiting = this.#queue.shift(({ use }) => this.#hasRoom(use));
      if (waiting === undefined) return;
      waiting.take(this.#lend(waiting));
    }
    const needed = this.#waitingWithRoom() - this.#starting;
    for (let count = 0; count < needed && this.#mayStart(); count += 1) void this.#start();
  }

  #hasRoom = (use: Use): boolean => this.#lent[use] < this.options.limits[use];

  #waitingWithRoom(): number {
    return (["answer", "stream"] as const)
      .map((use) =>
        Math.min(
          this.#queue.size === 0 ? 0 : this.#queue.count((waiting) => waiting.use === use),
          this.options.limits[use] - this.#lent[use],
        ),
      )
      .reduce((sum, count) => sum + count, 0);
  }

  /** Processes that were killed count until they have ended. */
  #mayStart(): boolean {
    const { answer, stream } = this.options.limits;
    return this.#processes.size + this.#starting < answer + stream;
  }

  #lend({ use, source }: Pick<Wish, "use" | "source">): SqlProcess {
    const at = this.#idle.findLastIndex((process) => process.hasOpen(source));
    const [process] = this.#idle.splice(at === -1 ? this.#idle.length - 1 : at, 1);
    if (process === undefined) throw new Error("No process is idle");
    clearTimeout(this.#idleTimers.get(process));
    this.#idleTimers.delete(process);
    this.#lent[use] += 1;
    this.#watchMemory(true);
    return process;
  }

  #rest(process: SqlProcess): void {
    this.#idle.push(process);
    const timer = setTimeout(() => {
      this.#forget(process);
      process.end();
    }, IDLE_LIMIT_MS);
    this.#idleTimers.set(process, timer.unref());
  }

  async #start(): Promise<void> {
    this.#starting += 1;
    try {
      const started = await SqlProcess.start({ memoryBytes: this.options.memoryBytes });
      this.#processes.add(started);
      void started.ended.then(() => this.#ended(started));
      this.#rest(started);
    } catch (error) {
      this.#queue.shift(({ use }) => this.#hasRoom(use))?.refuse(error as Error);
    } finally {
      this.#starting -= 1;
    }
    this.#dispatch();
  }

  #ended(process: SqlProcess): void {
    this.#processes.delete(process);
    this.#forget(process);
    this.#dispatch();
  }

  #forget(process: SqlProcess): void {
    clearTimeout(this.#idleTimers.get(process));
    this.#idleTimers.delete(process);
    const at = this.#idle.indexOf(process);
    if (at !== -1) this.#idle.splice(at, 1);
  }

  #watchMemory(isNeeded: boolean): void {
    if (isNeeded) {
      this.#memoryTimer ??= setInterval(() => {
        for (const process of this.#processes) process.limitMemory();
      }, LOOK_AT_MEMORY_EVERY_MS).unref();
      return;
    }
    clearInterval(this.#memoryTimer);
    this.#memoryTimer = undefined;
  }
}

const tooMany = (): DatabaseUnavailable =>
  new DatabaseUnavailable("Too many queries are waiting for this database.");
