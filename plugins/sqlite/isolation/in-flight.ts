import { DatabaseUnavailable, QueryInterrupted } from "rowhouse/plugin-api/errors";
import type { CancelSignal } from "../open/time-limit.js";
import type { Reply } from "./messages.js";
import { Watchdog } from "./watchdog.js";

/** A reply with the bytes that came with it. */
export interface Answered {
  readonly reply: Reply;
  readonly body: Buffer;
}

/** When the caller of a command stops waiting. */
export interface AskLimits {
  /** From the time at which the process begins with the command. */
  readonly timeLimitMs: number;
  /** How long it is likely to take; infinite when that is not known. */
  readonly expectedMs?: number;
  readonly signal?: CancelSignal | undefined;
  /** The error when the time limit is over; by default that the query took too long. */
  readonly late?: () => Error;
}

/** The command never began: its process died or returned it. It can be sent to another process. */
export class NotBegun extends DatabaseUnavailable {
  constructor() {
    super("The process for this statement has ended.");
  }
}

/** The time in which a process has to begin with a command, or to answer it. */
const BEGIN_LIMIT_MS = 10_000;

interface Entry {
  readonly id: number;
  readonly timeLimitMs: number;
  readonly expectedMs: number;
  readonly resolve: (answered: Answered) => void;
  readonly reject: (error: Error) => void;
  readonly late: () => Error;
  /** Its caller has left, or its time is over: it must stop soon, whatever else the process reports. */
  isInterrupted: boolean;
}

export interface InFlightOptions {
  /** Called when a command is to be interrupted. */
  readonly cancel: (id: number) => void;
  /** Called when a command did not stop although it was interrupted. */
  readonly stuck: () => void;
  /** Called when the first command is added and when the last one is settled. */
  readonly busy: (isBusy: boolean) => void;
}

/**
 * The commands that were sent to one process and are not answered, in the order in which they were sent. The first
 * one, the head, is running; the others wait.
 */
export class CommandsInFlight {
  readonly #entries = new Map<number, Entry>();
  readonly #watchdog: Watchdog;
  #head: Entry | null = null;
  #headSinceMs = 0;
  #isLate = false;
  #whenSettled: (() => void)[] = [];

  constructor(private readonly options: InFlightOptions) {
    this.#watchdog = new Watchdog({ late: () => this.#late(), stuck: () => options.stuck() });
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The id of the command that is running. */
  get head(): number | null {
    return this.#head?.id ?? null;
  }

  /** How long it has been running. */
  get headMs(): number {
    return this.#head === null ? 0 : performance.now() - this.#headSinceMs;
  }

  /** True when the time limit of the head is over and it did not stop. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** The time in which all commands are likely to be done. */
  get expectedMs(): number {
    let sum = 0;
    for (const { expectedMs } of this.#entries.values()) sum += expectedMs;
    return sum;
  }

  /** @throws QueryInterrupted when its time is over or the signal aborts, or what `settle` and `fail` reject with */
  add(id: number, { timeLimitMs, expectedMs = Infinity, signal, late }: AskLimits): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        reject(new QueryInterrupted("The caller went away."));
        entry.isInterrupted = true;
        this.options.cancel(id);
        if (this.head === id) this.#watchdog.interrupted();
      };
      const unlisten = (): void => signal?.removeEventListener("abort", leave);
      signal?.addEventListener("abort", leave, { once: true });
      const entry: Entry = {
        id,
        timeLimitMs,
        expectedMs,
        resolve: (answered) => (unlisten(), resolve(answered)),
        reject: (error) => (unlisten(), reject(error)),
        late: late ?? (() => new QueryInterrupted()),
        isInterrupted: false,
      };
      this.#entries.set(id, entry);
      if (this.#head !== null) return;
      this.options.busy(true);
      this.#begin();
    });
  }

  /** The process has begun with the command, and this long ago with its current operation. */
  running(id: number, elapsedMs: number): void {
    if (this.#head?.id !== id || this.#head.isInterrupted) return;
    this.#watchdog.start(Math.max(0, this.#head.timeLimitMs - elapsedMs));
  }

  resolve(id: number, answered: Answered): void {
    this.#remove(id)?.resolve(answered);
  }

  reject(id: number, error: Error): void {
    this.#remove(id)?.reject(error);
  }

  /** Ends everything: the head failed for `reason`, the others did not begin. */
  failAll(reason: Error): void {
    const [head, ...others] = this.#entries.values();
    this.#entries.clear();
    this.#watchdog.end();
    if (this.#head !== null) this.#begin();
    head?.reject(reason);
    for (const { reject } of others) reject(new NotBegun());
  }

  /** Resolves when nothing is in flight, which may be after the callers were answered. */
  settled(): Promise<void> {
    if (this.#head === null) return Promise.resolve();
    return new Promise((resolve) => this.#whenSettled.push(resolve));
  }

  #remove(id: number): Entry | undefined {
    const entry = this.#entries.get(id);
    this.#entries.delete(id);
    if (entry !== undefined && entry === this.#head) this.#begin();
    return entry;
  }

  /** The first entry is running from now on. */
  #begin(): void {
    const [next = null] = this.#entries.values();
    this.#head = next;
    this.#isLate = false;
    if (next !== null) {
      this.#headSinceMs = performance.now();
      // A busy machine may let the process wait: the time limit counts when it says that it has begun.
      if (next.isInterrupted) this.#watchdog.interrupted();
      else this.#watchdog.start(BEGIN_LIMIT_MS);
      return;
    }
    this.#watchdog.stop();
    this.options.busy(false);
    for (const resolve of this.#whenSettled.splice(0)) resolve();
  }

  #late(): void {
    if (this.#head === null) return;
    this.#isLate = true;
    this.#head.isInterrupted = true;
    this.#head.reject(this.#head.late());
    this.options.cancel(this.#head.id);
  }
}
