import { median } from "./figures.js";
import { requestsASecond } from "./insert-clients.js";
import { measureLoad, type Effort } from "./load.js";
import type { Program } from "./program.js";

/** The same server as one process, and with `--workers 2`. Neither caches replies. */
export interface ComparedServers {
  readonly one: Program;
  readonly two: Program;
}

const ROW = { name: "A reading", kind: "beacon", place: 3, level: 0.5, note: "Of no interest" };

const loads: Readonly<Record<string, (program: Program, effort: Effort) => Promise<number>>> = {
  "100 rows as HTML": (program, effort) => pages(program, effort, "/bench/readings?_nocount=1&_nosuggest=1"),
  "100 rows as JSON": (program, effort) =>
    pages(program, effort, "/bench/readings.json?_nocount=1&_nofacet=1&_nosuggest=1"),
  "one row as HTML": (program, effort) => pages(program, effort, "/bench/readings/500"),
  "inserts, one row each": ({ origin }, { seconds, connections }) =>
    requestsASecond(
      origin,
      { count: connections, path: "/bench/readings/-/insert", body: JSON.stringify({ row: ROW }) },
      seconds,
    ),
};

const pages = async (program: Program, effort: Effort, path: string): Promise<number> =>
  (await measureLoad(program, path, effort)).perSecond;

/** Requests per second of both, in alternating rounds. */
export async function compareWorkers({ one, two }: ComparedServers, effort: Effort): Promise<void> {
  const titles = ["one", "two", "ratio"].map((title) => title.padStart(10)).join("");
  console.log(`\n${"requests a second".padEnd(24)}${titles}`);
  for (const [name, measure] of Object.entries(loads)) {
    const speeds: { one: number; two: number }[] = [];
    for (const program of [one, two]) await measure(program, { ...effort, seconds: 1 });
    for (let round = 0; round < effort.rounds; round++) {
      speeds.push({ one: await measure(one, effort), two: await measure(two, effort) });
    }
    const [first, second] = [
      median(speeds.map((speed) => speed.one)),
      median(speeds.map((speed) => speed.two)),
    ];
    const figures = [first.toFixed(0), second.toFixed(0), (second / first).toFixed(2)];
    console.log(`${name.padEnd(24)}${figures.map((text) => text.padStart(10)).join("")}`);
  }
}
