const ROUNDS = 3;

/**
 * Milliseconds of the processor that this process needs for `work`, all its threads together: the least of a few
 * rounds. Waiting for a busy machine does not count; a slow one needs more for everything, so compare, and widely.
 */
export async function cpuMs(work: () => unknown): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}
