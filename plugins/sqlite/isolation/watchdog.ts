/** How much later than its time limit a statement may answer. */
const LATE_AFTER_MS = 80;
/** How long a statement has to stop after it was interrupted; then its process is killed. */
const STUCK_AFTER_MS = 250;
const LONGEST_TIMER_MS = 2_147_483_647;

export interface WatchdogOptions {
  /** The statement has outlived its time limit. */
  readonly late: () => void;
  /** It has not stopped although it was interrupted. */
  readonly stuck: () => void;
}

/** The timer of one process: it runs while the process works on something. */
export class Watchdog {
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: WatchdogOptions) {}

  /** @param timeLimitMs from now, and again from every `restart` */
  start(timeLimitMs: number): void {
    this.#set(Math.min(timeLimitMs + LATE_AFTER_MS, LONGEST_TIMER_MS), () => {
      this.options.late();
      this.#timer = undefined;
      this.interrupted();
    });
  }

  restart(): void {
    this.#timer?.refresh();
  }

  /** The statement was interrupted: from now on it has a fixed time to stop. */
  interrupted(): void {
    this.#set(STUCK_AFTER_MS, this.options.stuck);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #set(afterMs: number, fire: () => void): void {
    this.stop();
    const timer = setTimeout(() => {
      // An answer may have come while the event loop was busy. It is read before this runs.
      setImmediate(() => {
        if (this.#timer === timer) fire();
      });
    }, afterMs);
    this.#timer = timer;
  }
}
