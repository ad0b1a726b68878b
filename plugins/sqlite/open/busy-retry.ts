import { setTimeout as sleep } from "node:timers/promises";
import { isBusy, lockTimeout } from "./errors.js";

/**
 * Tries again while another process holds the lock.
 *
 * @throws DatabaseUnavailable when it still does at `deadline`
 */
export const retryWhileBusy = <T>(deadline: number, attempt: () => Promise<T>, pauseMs = 1): Promise<T> =>
  attempt().catch(async (error: unknown) => {
    if (!isBusy(error)) throw error;
    if (performance.now() >= deadline) throw lockTimeout(error);
    await sleep(pauseMs);
    return retryWhileBusy(deadline, attempt, Math.min(pauseMs * 2, 50));
  });
