import { loadavg } from "node:os";
import { median, percentile } from "./figures.js";
import { sqlPath } from "./library.js";
import { measureLoad, warmUp, type Effort, type Measured } from "./load.js";
import type { Program } from "./program.js";

const STATEMENTS: Readonly<Record<string, string>> = {
  "100 rows": "select * from readings where place = 11 limit 100",
  "one row": "select * from readings where id = 50000",
};

/** Rowhouse with separate processes for untrusted SQL, and without. */
export interface IsolationContestants {
  readonly process: Program;
  readonly thread: Program;
}

/** One round of both. */
type Pair = Readonly<Record<keyof IsolationContestants, Measured>>;

/** Requests a second for `?sql=`, and their processor time: both modes in turns, so that other load hits them alike. */
export async function compareIsolation(
  { process, thread }: IsolationContestants,
  effort: Effort,
): Promise<void> {
  console.log(`\nMedians of ${effort.rounds} pairs of rounds, load ${loadavg()[0]?.toFixed(1)}`);
  console.log(line("?sql=", ["process", "thread", "ratio", "cpu us", "cpu us", "ratio"]));
  for (const [name, sql] of Object.entries(STATEMENTS)) {
    const path = sqlPath(sql);
    for (const program of [process, thread]) await warmUp(program, path, effort);
    const rounds: Pair[] = [];
    for (let round = 0; round < effort.rounds; round++) {
      rounds.push({
        process: await measureLoad(process, path, effort),
        thread: await measureLoad(thread, path, effort),
      });
    }
    console.log(line(name, figures(rounds)));
  }
}

function figures(rounds: readonly Pair[]): readonly string[] {
  const of = (pick: (pair: Pair) => number): number => median(rounds.map(pick));
  return [
    of((pair) => pair.process.perSecond).toFixed(0),
    of((pair) => pair.thread.perSecond).toFixed(0),
    of((pair) => pair.process.perSecond / pair.thread.perSecond).toFixed(2),
    of((pair) => pair.process.cpuUs).toFixed(0),
    of((pair) => pair.thread.cpuUs).toFixed(0),
    of((pair) => pair.process.cpuUs / pair.thread.cpuUs).toFixed(2),
  ];
}

const STUCK = "select instr(zeroblob(20000000), zeroblob(10000000)||x'01')";

/** Each common table expression is twice the one before: preparing the last one takes longer than any time limit. */
const DOUBLING = `with a0 as (select 1), ${Array.from(
  { length: 24 },
  (_, index) => `a${index + 1} as (select * from a${index} union all select * from a${index})`,
).join(", ")} select count(*) from a24`;

const HOSTILE_STATEMENTS = 20;
const TABLE_PAGE = "/bench/few.json?_nosuggest=1";

/** How long table pages take alone, and beside statements that can't be interrupted. */
export async function measureBesideHostile({ origin }: Program, rounds: number): Promise<void> {
  console.log(
    `\nTable pages beside ${HOSTILE_STATEMENTS} hostile statements, load ${loadavg()[0]?.toFixed(1)}`,
  );
  console.log(line("page, ms", ["pages", "median", "99 %", "max"]));
  for (let round = 0; round < rounds; round++) {
    const endMs = performance.now() + 5_000;
    console.log(line("alone", spread(await pagesUntil(origin, () => performance.now() > endMs))));
    let isOver = false;
    const replies = Promise.all(
      Array.from({ length: HOSTILE_STATEMENTS }, async (_, index) => {
        const sql = `${index % 2 === 0 ? STUCK : DOUBLING} -- ${round} ${index}`;
        return (await fetch(origin + sqlPath(sql))).status;
      }),
    ).finally(() => (isOver = true));
    console.log(line("beside", spread(await pagesUntil(origin, () => isOver))));
    console.log(`  replies: ${(await replies).toSorted((a, b) => a - b).join(" ")}`);
  }
}

async function pagesUntil(origin: string, isOver: () => boolean): Promise<readonly number[]> {
  const took: number[] = [];
  while (!isOver()) {
    const beganMs = performance.now();
    const response = await fetch(origin + TABLE_PAGE);
    await response.text();
    if (!response.ok) throw new Error(`${TABLE_PAGE} answers ${response.status}`);
    took.push(performance.now() - beganMs);
  }
  return took;
}

const spread = (took: readonly number[]): readonly string[] => [
  String(took.length),
  ...[0.5, 0.99, 1].map((share) => percentile(took, share).toFixed(1)),
];

const line = (name: string, columns: readonly string[]): string =>
  `${name.padEnd(12)}${columns.map((text) => text.padStart(10)).join("")}`;
