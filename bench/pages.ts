import { isDeepStrictEqual } from "node:util";
import autocannon from "autocannon";
import type { Program } from "./program.js";

const pages = {
  "100 rows of a table": "/bench/readings.json?_nocount=1&_nofacet=1&_nosuggest=1",
  "100 rows of ?sql=": `/bench.json?sql=${encodeURIComponent("select * from readings where place = 11 limit 100")}`,
  "one row": "/bench/readings/50000.json",
} as const;

/** A page as HTML, compared with the same rows as JSON of the bare program: the cost of the markup. */
const HTML = {
  name: "100 rows as HTML",
  path: "/bench/readings?_nocount=1&_nofacet=1&_nosuggest=1",
  bare: pages["100 rows of a table"],
} as const;

/** Duration and load of a measurement. */
export interface Effort {
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
}

/** Pages per second in one round. */
async function measure({ origin }: Program, path: string, { seconds, connections }: Effort): Promise<number> {
  const result = await autocannon({ url: origin + path, duration: seconds, connections });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${origin}${path} failed under load`);
  return result.requests.average;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/**
 * Both programs must return the same rows, otherwise the comparison is meaningless.
 *
 * @returns bytes of each reply
 */
async function compareAnswers(ours: Program, bare: Program, path: string): Promise<string> {
  const [ourText, bareText] = await Promise.all([ours, bare].map(({ origin }) => answer(origin + path)));
  const [ourFacts, bareFacts] = [ourText, bareText].map((text) => facts(text ?? ""));
  if (!isDeepStrictEqual(ourFacts, bareFacts)) {
    throw new Error(`The answers to ${path} differ:\n${ourText?.slice(-900)}\n${bareText?.slice(-900)}`);
  }
  return `${ourText?.length} and ${bareText?.length} bytes`;
}

async function answer(url: string): Promise<string> {
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answers ${response.status}: ${text.slice(0, 300)}`);
  return text.replaceAll(new URL(url).origin, "");
}

function facts(text: string): unknown {
  const { query_ms: _timing, ...rest } = JSON.parse(text) as Record<string, unknown>;
  return rest;
}

/** Rowhouse without the reply cache, Rowhouse with it, and the bare program. */
export interface ComparedPrograms {
  readonly bare: Program;
  readonly uncached: Program;
  readonly cached: Program;
}

const column = (text: string): string => text.padStart(10);

/** Pages per second, and the ratio to the bare program: medians of the rounds. */
export async function comparePages(programs: ComparedPrograms, effort: Effort): Promise<void> {
  const { rounds, seconds, connections } = effort;
  const { bare, uncached } = programs;
  console.log(`Medians of ${rounds} rounds of ${seconds} s, ${connections} connections\n`);
  console.log(
    `${"pages a second".padEnd(22)}${["bare", "uncached", "ratio", "cached", "ratio"].map(column).join("")}`,
  );
  for (const [name, path] of Object.entries(pages)) {
    const sizes = await compareAnswers(uncached, bare, path);
    await compareSpeeds(programs, effort, { name, path, bare: path, note: sizes });
  }
  const bytes = (await answer(uncached.origin + HTML.path)).length;
  await compareSpeeds(programs, effort, { ...HTML, note: `${bytes} bytes` });
}

interface Comparison {
  readonly name: string;
  readonly path: string;
  /** The requests to the bare program. */
  readonly bare: string;
  readonly note: string;
}

async function compareSpeeds(
  programs: ComparedPrograms,
  effort: Effort,
  { name, path, note, ...asked }: Comparison,
): Promise<void> {
  const turns = [
    [programs.bare, asked.bare],
    [programs.uncached, path],
    [programs.cached, path],
  ] as const;
  for (const [program, page] of turns) await measure(program, page, { ...effort, seconds: 1 });
  const speeds: number[][] = [[], [], []];
  for (let round = 0; round < effort.rounds; round++) {
    for (const [turn, [program, page]] of turns.entries()) {
      speeds[turn]?.push(await measure(program, page, effort));
    }
  }
  const [floor = NaN, ...ours] = speeds.map(median);
  const figures = ours.flatMap((speed) => [speed.toFixed(0), (speed / floor).toFixed(2)]);
  console.log(`${name.padEnd(22)}${[floor.toFixed(0), ...figures].map(column).join("")}   ${note}`);
}
