import autocannon from "autocannon";
import { cpuSecondsOf, type Effort } from "./load.js";
import type { Program } from "./program.js";

/** The same server with a line for each request, and with warnings and errors only. */
export interface LoggingServers {
  readonly json: Program;
  readonly text: Program;
  readonly quiet: Program;
}

/** What one round has measured. */
interface Round {
  readonly pagesASecond: number;
  /** Processor time of the server for a page, in microseconds. Other load of the machine hardly changes it. */
  readonly cpuUs: number;
}

const SMALL_PAGE = "/bench/readings/500.json";

async function measure({ origin, pid }: Program, { seconds, connections }: Effort): Promise<Round> {
  const before = await cpuSecondsOf(pid);
  const result = await autocannon({ url: origin + SMALL_PAGE, duration: seconds, connections });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${origin}${SMALL_PAGE} failed under load`);
  const cpuSeconds = (await cpuSecondsOf(pid)) - before;
  return { pagesASecond: result.requests.average, cpuUs: (cpuSeconds / result.requests.total) * 1e6 };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const line = (cells: readonly string[]): string =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(24) : cell.padStart(16))).join("");

/** Small pages per second and their processor time, of each server in alternating rounds, and the shares of the quiet one. */
export async function compareLogs(servers: LoggingServers, effort: Effort): Promise<void> {
  const entries = Object.entries(servers) as readonly [keyof LoggingServers, Program][];
  const rounds: Record<keyof LoggingServers, Round[]> = { json: [], text: [], quiet: [] };
  for (const [, program] of entries) await measure(program, { ...effort, seconds: 1 });
  for (let round = 0; round < effort.rounds; round++) {
    for (const [name, program] of entries) rounds[name].push(await measure(program, effort));
  }
  const of = (name: keyof LoggingServers, value: keyof Round): number =>
    median(rounds[name].map((round) => round[value]));
  const share = (name: keyof LoggingServers, value: keyof Round): string =>
    `${((100 * of(name, value)) / of("quiet", value)).toFixed(0)} %`;
  console.log(`\n${line(["one row as JSON", "pages a second", "share", "cpu us", "share"])}`);
  for (const [name] of entries) {
    const cells = [of(name, "pagesASecond").toFixed(0), share(name, "pagesASecond")];
    console.log(line([`log: ${name}`, ...cells, of(name, "cpuUs").toFixed(0), share(name, "cpuUs")]));
  }
}
