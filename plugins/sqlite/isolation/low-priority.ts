import { readdirSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/**
 * Below the server's own, so that pages come first when processors are scarce. With 10 steps, statements starve beside
 * other programs on a busy machine.
 */
const STEPS_BELOW = 5;
const LOWEST = 19;

/** Lowers the priority of this process. Linux keeps one for each thread, those of SQLite included. */
export function lowerPriority(): void {
  const priority = Math.min(getPriority() + STEPS_BELOW, LOWEST);
  for (const thread of threads()) {
    try {
      setPriority(thread, priority);
    } catch {
      // The thread has ended, or the system does not allow it: the statement runs all the same.
    }
  }
}

function threads(): readonly number[] {
  try {
    return readdirSync("/proc/self/task").map(Number);
  } catch {
    return [process.pid];
  }
}
