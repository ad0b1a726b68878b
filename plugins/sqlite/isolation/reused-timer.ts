import { LONGEST_TIMER_MS } from "../open/time-limit.js";

/** A timer that is set for each statement. Setting the same timer again is much cheaper than making one. */
export class ReusedTimer {
  #timer: NodeJS.Timeout | undefined;
  #afterMs = 0;
  #fire: (() => void) | null = null;

  get isSet(): boolean {
    return this.#fire !== null;
  }

  /** Calls `fire` once after that time, in place of what was set before. The timer does not keep the process alive. */
  set(afterMs: number, fire: () => void): void {
    this.#fire = fire;
    if (this.#timer !== undefined && this.#afterMs === afterMs) {
      this.#timer.refresh();
      return;
    }
    clearTimeout(this.#timer);
    this.#afterMs = afterMs;
    this.#timer = setTimeout(this.#elapsed, Math.min(afterMs, LONGEST_TIMER_MS)).unref();
  }

  /** The same time again from now on, until `stop`. */
  restart(): void {
    if (this.isSet) this.#timer?.refresh();
  }

  /** The timer remains, as the next statement mostly has the same limit. It does nothing when its time is over. */
  stop(): void {
    this.#fire = null;
  }

  /** No timer is left after this. */
  end(): void {
    this.stop();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #elapsed = (): void => this.#fire?.();
}
