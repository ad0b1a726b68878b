import { median } from "./figures.js";
import { measureLoad, type Effort, type Measured } from "./load.js";
import type { Program } from "./program.js";

/** The same server with a line for each request, and with warnings and errors only. */
export interface LoggingServers {
  readonly json: Program;
  readonly text: Program;
  readonly quiet: Program;
}

const SMALL_PAGE = "/bench/readings/500.json";

type Figure = "perSecond" | "cpuUs";

const line = (cells: readonly string[]): string =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(24) : cell.padStart(16))).join("");

/** Small pages per second and their processor time, of each server in alternating rounds, and the shares of the quiet one. */
export async function compareLogs(servers: LoggingServers, effort: Effort): Promise<void> {
  const entries = Object.entries(servers) as readonly [keyof LoggingServers, Program][];
  const rounds: Record<keyof LoggingServers, Measured[]> = { json: [], text: [], quiet: [] };
  for (const [, program] of entries) await measureLoad(program, SMALL_PAGE, { ...effort, seconds: 1 });
  for (let round = 0; round < effort.rounds; round++) {
    for (const [name, program] of entries) rounds[name].push(await measureLoad(program, SMALL_PAGE, effort));
  }
  const of = (name: keyof LoggingServers, value: Figure): number =>
    median(rounds[name].map((round) => round[value]));
  const share = (name: keyof LoggingServers, value: Figure): string =>
    `${((100 * of(name, value)) / of("quiet", value)).toFixed(0)} %`;
  console.log(`\n${line(["one row as JSON", "pages a second", "share", "cpu us", "share"])}`);
  for (const [name] of entries) {
    const cells = [of(name, "perSecond").toFixed(0), share(name, "perSecond")];
    console.log(line([`log: ${name}`, ...cells, of(name, "cpuUs").toFixed(0), share(name, "cpuUs")]));
  }
}
