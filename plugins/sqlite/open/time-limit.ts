import { QueryInterrupted } from "rowhouse/plugin-api";

/** The part of an `AbortSignal` that statements use. Making a real one costs more than a short statement. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** When a statement must stop. */
export interface Limits {
  /** What each operation may take by itself. */
  readonly timeLimitMs?: number | undefined;
  /** When all operations together must be done, on the clock of `performance.now()`. */
  readonly deadlineMs?: number | undefined;
  readonly signal?: CancelSignal | undefined;
  /** Called when an operation begins. */
  readonly onStart?: () => void;
}

// An interrupt that comes before the statement has begun to run is lost, hence again and again.
const REPEAT_MS = 5;

/**
 * Runs one operation on a connection and interrupts it at its deadline or when the caller goes away.
 * Nothing is interrupted any more once the operation has called back, so that the next one is safe.
 *
 * @throws QueryInterrupted without starting when the signal has already aborted
 */
export async function bounded<T>(
  interrupt: () => void,
  limits: Limits,
  operation: () => Promise<T>,
): Promise<T> {
  const { signal } = limits;
  if (signal?.aborted === true) throw new QueryInterrupted("The caller went away.");
  limits.onStart?.();
  let repeat: NodeJS.Timeout | undefined;
  const stop = (): void => {
    if (repeat !== undefined) return;
    interrupt();
    repeat = setInterval(interrupt, REPEAT_MS);
  };
  const leftMs = timeLeftMs(limits);
  const deadline = leftMs === undefined ? undefined : setTimeout(stop, leftMs);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return await operation();
  } finally {
    clearTimeout(deadline);
    clearInterval(repeat);
    signal?.removeEventListener("abort", stop);
  }
}

function timeLeftMs({ timeLimitMs, deadlineMs }: Limits): number | undefined {
  if (deadlineMs === undefined) return timeLimitMs;
  return Math.max(0, Math.min(timeLimitMs ?? Infinity, deadlineMs - performance.now()));
}
