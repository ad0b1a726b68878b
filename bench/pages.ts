import { loadavg } from "node:os";
import { sqlPath } from "./library.js";
import { measureLoad, medians, warmUp, type Effort, type Measured } from "./load.js";
import type { Program } from "./program.js";
import { startWriter } from "./page-writer.js";

/** The same addresses for Rowhouse and for the floor. */
export const WORKLOADS: Readonly<Record<string, string>> = {
  "table, no count": "/bench/readings.json?_nocount=1&_nofacet=1&_nosuggest=1",
  "table, default": "/bench/readings.json",
  "table, filtered": "/bench/readings.json?place=11&_nosuggest=1",
  "table, faceted": "/bench/readings.json?_facet=kind&_nosuggest=1",
  "?sql= 100 rows": sqlPath("select * from readings where place = 11 limit 100"),
  "?sql= one row": sqlPath("select * from readings where id = 5000"),
  "one row": "/bench/readings/5000.json",
  home: "/",
  "table, HTML": "/bench/readings?_nocount=1&_nofacet=1&_nosuggest=1",
  search: "/bench/notes.json?_search=beacon&_nocount=1&_nofacet=1&_nosuggest=1",
};

/** The floor, Rowhouse without its cache of replies, and with it. */
export interface ComparedPrograms {
  readonly floor: Program;
  readonly uncached: Program;
  readonly cached: Program;
}

const WRITE_EVERY_MS = 10;

/** Names of workloads that contain one of the words; all without words. */
const chosen = (words: readonly string[]): readonly (readonly [string, string])[] =>
  Object.entries(WORKLOADS).filter(
    ([name]) => words.length === 0 || words.some((word) => name.includes(word)),
  );

/**
 * Each workload uncached, cached, and with a write of another program to the file every 10 ms, each beside the floor
 * under the same conditions. The rounds alternate, so that other load on the machine affects all programs.
 */
export async function comparePages(
  programs: ComparedPrograms,
  file: string,
  effort: Effort,
  words: readonly string[] = [],
): Promise<void> {
  printHead(effort);
  for (const [name, path] of chosen(words)) {
    await compareRows(programs, name, path);
    for (const program of Object.values(programs)) await warmUp(program, path, effort);
    const on = (program: Program): ProgramRequest => ({ program, path });
    const [floor, uncached, cached] = [on(programs.floor), on(programs.uncached), on(programs.cached)];
    print(name, await alternate({ floor, uncached, cached }, effort));
    const writer = startWriter(file, WRITE_EVERY_MS);
    print("", await alternate({ "floor, writes": floor, "cached, writes": cached }, effort));
    await writer.stop();
  }
}

const BOUNDED_WORKLOADS: readonly string[] = ["table, no count", "?sql= 100 rows", "one row", "table, HTML"];

/** The floor, the floor with the rows of Rowhouse, and a program that sends each page from memory. */
export interface BoundPrograms {
  readonly floor: Program;
  readonly exact: Program;
  readonly ready: Program;
}

/** How fast uncached pages could be at most with exact rows, and cached pages with `node:http`. */
export async function compareBounds(programs: BoundPrograms, effort: Effort): Promise<void> {
  printHead(effort);
  for (const name of BOUNDED_WORKLOADS) {
    const path = WORKLOADS[name] ?? "";
    for (const program of Object.values(programs)) await warmUp(program, path, effort);
    const on = (program: Program): ProgramRequest => ({ program, path });
    const requests = {
      floor: on(programs.floor),
      "exact floor": on(programs.exact),
      "from memory": on(programs.ready),
    };
    print(name, await alternate(requests, effort));
  }
}

/** The titles of what `print` prints. */
export function printHead({ rounds, seconds, connections }: Effort): void {
  console.log(`\nMedians of ${rounds} rounds of ${seconds} s, ${connections} connections`);
  console.log(`Load of the machine before: ${loadavg()[0]?.toFixed(1)}`);
  console.log(line("", ["a second", "of floor", "p50 ms", "p99 ms", "blocked", "cpu us", "of floor"]));
}

/** What is measured: a server and the address of a page. */
export interface ProgramRequest {
  readonly program: Program;
  readonly path: string;
}

/** Medians of alternating rounds, by the names of the programs. The first one is the floor of the others. */
export async function alternate(
  requests: Readonly<Record<string, ProgramRequest>>,
  effort: Effort,
): Promise<ReadonlyMap<string, Measured>> {
  const rounds = new Map<string, Measured[]>();
  for (let round = 0; round < effort.rounds; round++) {
    for (const [name, { program, path }] of Object.entries(requests)) {
      const measured = rounds.get(name) ?? [];
      rounds.set(name, measured);
      measured.push(await measureLoad(program, path, effort));
    }
  }
  return new Map(Array.from(rounds, ([name, measured]) => [name, medians(measured)]));
}

/** One line for each program, with its ratios to the first. */
export function print(workload: string, results: ReadonlyMap<string, Measured>): void {
  const [floor] = results.values();
  let start = workload;
  for (const [name, { perSecond, p50Ms, p99Ms, blockedMs, cpuUs }] of results) {
    const figures = [
      perSecond.toFixed(0),
      (perSecond / (floor?.perSecond ?? NaN)).toFixed(2),
      p50Ms.toFixed(2),
      p99Ms.toFixed(1),
      blockedMs.toFixed(0),
      cpuUs.toFixed(0),
      ((floor?.cpuUs ?? NaN) / cpuUs).toFixed(2),
    ];
    console.log(line(`${start.padEnd(16)} ${name}`, figures));
    start = "";
  }
}

const line = (name: string, columns: readonly string[]): string =>
  `${name.padEnd(32)}${columns.map((text) => text.padStart(9)).join("")}`;

/** Both must return the same rows and counts, otherwise the comparison says nothing. HTML is not compared. */
async function compareRows({ floor, uncached }: ComparedPrograms, name: string, path: string): Promise<void> {
  const answers = await Promise.all([floor, uncached].map(({ origin }) => fetch(origin + path)));
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  if (answers.some(({ status }) => status !== 200)) throw new Error(`${name} answers ${texts.join("\n")}`);
  if (!answers.every(({ headers }) => headers.get("content-type")?.startsWith("application/json"))) return;
  const [theirs, ours] = texts.map((text) => comparable(text));
  if (theirs !== ours) throw new Error(`The answers to ${path} differ:\n${theirs}\n${ours}`);
}

/** Fifteen digits of numbers: the floor writes no more. */
function comparable(text: string): string {
  const { rows, filtered_table_rows_count: count } = JSON.parse(text) as Record<string, unknown>;
  return JSON.stringify([rows, count], (_key, value: unknown) =>
    typeof value === "number" ? Number(value.toPrecision(15)) : value,
  );
}
