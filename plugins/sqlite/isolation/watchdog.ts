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

/** The timer of one process, for the command that it is carrying out. */
export class Watchdog {
  #timer: NodeJS.Timeout | undefined;
  #afterMs = 0;
  #fire: (() => void) | null = null;
  /** Moves when what has elapsed so far no longer counts. */
  #turn = 0;

  constructor(private readonly options: WatchdogOptions) {}

  /** @param timeLimitMs from now, and again from every `restart` */
  start(timeLimitMs: number): void {
    this.#set(Math.min(timeLimitMs + LATE_AFTER_MS, LONGEST_TIMER_MS), this.#late);
  }

  restart(): void {
    if (this.#fire === null) return;
    this.#turn += 1;
    this.#timer?.refresh();
  }

  /** The statement was interrupted: from now on it has a fixed time to stop. */
  interrupted(): void {
    this.#set(STUCK_AFTER_MS, this.#stuck);
  }

  stop(): void {
    this.#turn += 1;
    this.#fire = null;
  }

  /** No timer is left after this. */
  end(): void {
    this.stop();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #late = (): void => {
    this.options.late();
    this.interrupted();
  };

  #stuck = (): void => this.options.stuck();

  /** Commands mostly have equal limits: setting the same timer again is much cheaper than making one. */
  #set(afterMs: number, fire: () => void): void {
    this.#turn += 1;
    this.#fire = fire;
    if (this.#timer !== undefined && this.#afterMs === afterMs) {
      this.#timer.refresh();
      return;
    }
    clearTimeout(this.#timer);
    this.#afterMs = afterMs;
    // The pipe keeps the server alive while a command is under way.
    this.#timer = setTimeout(this.#elapsed, afterMs).unref();
  }

  #elapsed = (): void => {
    const [fire, turn] = [this.#fire, this.#turn];
    if (fire === null) return;
    // An answer may have come while the event loop was busy. It is read before this runs.
    setImmediate(() => {
      if (this.#turn === turn) fire();
    });
  };
}
