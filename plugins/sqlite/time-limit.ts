import { QueryInterrupted } from "rowhouse/plugin-api";

/** When a statement must stop. */
export interface Limits {
  readonly timeLimitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
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
  { timeLimitMs, signal }: Limits,
  operation: () => Promise<T>,
): Promise<T> {
  if (signal?.aborted === true) throw new QueryInterrupted("The caller went away.");
  let repeat: NodeJS.Timeout | undefined;
  const stop = (): void => {
    if (repeat !== undefined) return;
    interrupt();
    repeat = setInterval(interrupt, REPEAT_MS);
  };
  const deadline = timeLimitMs === undefined ? undefined : setTimeout(stop, timeLimitMs);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return await operation();
  } finally {
    clearTimeout(deadline);
    clearInterval(repeat);
    signal?.removeEventListener("abort", stop);
  }
}
