import { setTimeout as sleep } from "node:timers/promises";
import { QueryInterrupted } from "rowhouse/plugin-api/errors";
import { isBusy, lockTimeout } from "./errors.js";

/** The part of an `AbortSignal` that statements use. Making a real one costs more than a short statement. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** The time limits of a statement. */
export interface Limits {
  /** Limit of each single operation. */
  readonly timeLimitMs?: number | undefined;
  readonly signal?: CancelSignal | undefined;
  /** Called when an operation begins. */
  readonly onStart?: () => void;
}

// SQLite ignores an interrupt that comes before the statement runs, so it is repeated.
const REPEAT_MS = 5;
/** Longer timers end at once. */
export const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * Runs one operation on a connection. Interrupts it at its deadline, or when the signal aborts. No interrupt follows
 * after the operation has ended, so the next operation is not affected.
 *
 * @throws QueryInterrupted without starting if the signal has already aborted
 */
export async function withLimits<T>(
  interrupt: () => void,
  limits: Limits,
  operation: () => Promise<T>,
): Promise<T> {
  const { signal, timeLimitMs } = limits;
  if (signal?.aborted === true) throw new QueryInterrupted("The caller went away.");
  limits.onStart?.();
  let repeat: NodeJS.Timeout | undefined;
  const stop = (): void => {
    if (repeat !== undefined) return;
    interrupt();
    repeat = setInterval(interrupt, REPEAT_MS);
  };
  const deadline =
    timeLimitMs === undefined ? undefined : setTimeout(stop, Math.min(timeLimitMs, LONGEST_TIMER_MS));
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return await operation();
  } finally {
    clearTimeout(deadline);
    clearInterval(repeat);
    signal?.removeEventListener("abort", stop);
  }
}

/**
 * Retries while another process holds the lock.
 *
 * @throws DatabaseUnavailable if it still holds the lock at `deadlineMs`
 */
export const retryWhileBusy = <T>(deadlineMs: number, attempt: () => Promise<T>, pauseMs = 1): Promise<T> =>
  attempt().catch(async (error: unknown) => {
    if (!isBusy(error)) throw error;
    if (performance.now() >= deadlineMs) throw lockTimeout(error);
    await sleep(pauseMs);
    return retryWhileBusy(deadlineMs, attempt, Math.min(pauseMs * 2, 50));
  });
