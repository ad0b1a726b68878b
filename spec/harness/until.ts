import { setTimeout as sleep } from "node:timers/promises";

const PATIENCE_MS = 90_000;
const PAUSE_MS = 20;

/**
 * Waits for something to become true that happens in its own time, on a slow machine in much of it.
 *
 * @throws Error when it has not after a minute and a half
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const latest = performance.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (performance.now() > latest) throw new Error(`It never became true: ${condition.toString()}`);
    await sleep(PAUSE_MS);
  }
}
