import autocannon from "autocannon";
import type { Effort } from "./load.js";
import type { Program } from "./program.js";

/** The same server with a line for each request, and with warnings and errors only. */
export interface LoggingServers {
  readonly json: Program;
  readonly text: Program;
  readonly quiet: Program;
}

const SMALL_PAGE = "/bench/readings/500.json";

async function pagesASecond({ origin }: Program, { seconds, connections }: Effort): Promise<number> {
  const result = await autocannon({ url: origin + SMALL_PAGE, duration: seconds, connections });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${origin}${SMALL_PAGE} failed under load`);
  return result.requests.average;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Small pages per second of each, in alternating rounds, and the share that is left with logs. */
export async function compareLogs(servers: LoggingServers, effort: Effort): Promise<void> {
  const entries = Object.entries(servers) as readonly [keyof LoggingServers, Program][];
  const speeds: Record<keyof LoggingServers, number[]> = { json: [], text: [], quiet: [] };
  for (const [, program] of entries) await pagesASecond(program, { ...effort, seconds: 1 });
  for (let round = 0; round < effort.rounds; round++) {
    for (const [name, program] of entries) speeds[name].push(await pagesASecond(program, effort));
  }
  console.log(`\n${"one row as JSON".padEnd(24)}${"pages a second".padStart(16)}${"share".padStart(10)}`);
  for (const [name] of entries) {
    const speed = median(speeds[name]);
    const share = `${((100 * speed) / median(speeds.quiet)).toFixed(0)} %`;
    console.log(`${`log: ${name}`.padEnd(24)}${speed.toFixed(0).padStart(16)}${share.padStart(10)}`);
  }
}
