import { ReusedTimer } from "./reused-timer.js";

/** How much later than its time limit a statement may answer. */
const LATE_AFTER_MS = 80;
/** How long a statement has to stop after it was interrupted; then its process is killed. */
const STUCK_AFTER_MS = 250;

export interface WatchdogOptions {
  /** Called if the statement has not ended at its time limit. */
  readonly late: () => void;
  /** Called if it has not ended although it was interrupted. */
  readonly stuck: () => void;
}

/** The timer of one process, for the command that it is carrying out. The pipe keeps the server alive meanwhile. */
export class Watchdog {
  readonly #timer = new ReusedTimer();
  /** Increases with each call, so that a timer that was set before has no effect. */
  #turn = 0;

  constructor(private readonly options: WatchdogOptions) {}

  /** @param timeLimitMs from now, and again from every `restart` */
  start(timeLimitMs: number): void {
    this.#set(timeLimitMs + LATE_AFTER_MS, this.#late);
  }

  restart(): void {
    if (!this.#timer.isSet) return;
    this.#turn += 1;
    this.#timer.restart();
  }

  /** The statement was interrupted: from now on it has a fixed time to stop. */
  interrupted(): void {
    this.#set(STUCK_AFTER_MS, this.#stuck);
  }

  stop(): void {
    this.#turn += 1;
    this.#timer.stop();
  }

  /** No timer is left after this. */
  end(): void {
    this.#turn += 1;
    this.#timer.end();
  }

  #late = (): void => {
    this.options.late();
    this.interrupted();
  };

  #stuck = (): void => this.options.stuck();

  #set(afterMs: number, fire: () => void): void {
    const turn = (this.#turn += 1);
    this.#timer.set(afterMs, () => {
      // An answer may have come while the event loop was busy. It is read before this runs.
      setImmediate(() => {
        if (this.#turn === turn) fire();
      });
    });
  }
}
