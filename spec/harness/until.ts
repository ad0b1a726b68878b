import { setTimeout as sleep } from "node:timers/promises";

const TIME_LIMIT_MS = 90_000;
const PAUSE_MS = 20;

/**
 * Waits until a condition is true. The time limit is long, because machines that run specs can be slow.
 *
 * @throws Error if it is not true after 90 seconds
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const latest = performance.now() + TIME_LIMIT_MS;
  while (!(await condition())) {
    if (performance.now() > latest)
      throw new Error(`The condition is still false after ${TIME_LIMIT_MS} ms: ${condition.toString()}`);
    await sleep(PAUSE_MS);
  }
}
