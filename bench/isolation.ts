import { readFile, readdir } from "node:fs/promises";
import { loadavg } from "node:os";
import autocannon from "autocannon";
import type { Program } from "./program.js";

const sqlPath = (sql: string): string => `/bench.json?sql=${encodeURIComponent(sql)}`;

const STATEMENTS: Readonly<Record<string, string>> = {
  "100 rows": "select * from readings where place = 11 limit 100",
  "one row": "select * from readings where id = 50000",
};

/** How long is measured, and how hard. */
export interface IsolationEffort {
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly connections: number;
}

/** Rowhouse with separate processes for untrusted SQL, and without. */
export interface IsolationContestants {
  readonly process: Program;
  readonly thread: Program;
}

interface Round {
  readonly perSecond: number;
  /** Processor time of the server and its processes for one request, in microseconds. */
  readonly cpuUs: number;
}

/** Requests a second for `?sql=`, and their processor time: both modes in turns, so that other load hits them alike. */
export async function compareIsolation(
  { process, thread }: IsolationContestants,
  effort: IsolationEffort,
): Promise<void> {
  console.log(`\nMedians of ${effort.rounds} pairs of rounds, load ${loadavg()[0]?.toFixed(1)}`);
  console.log(line("?sql=", ["process", "thread", "ratio", "cpu us", "cpu us", "ratio"]));
  for (const [name, sql] of Object.entries(STATEMENTS)) {
    const path = sqlPath(sql);
    for (const program of [process, thread]) await measure(program, path, { ...effort, roundSeconds: 2 });
    const rounds: { readonly process: Round; readonly thread: Round }[] = [];
    for (let round = 0; round < effort.rounds; round++) {
      rounds.push({
        process: await measure(process, path, effort),
        thread: await measure(thread, path, effort),
      });
    }
    console.log(line(name, figures(rounds)));
  }
}

function figures(rounds: readonly { readonly process: Round; readonly thread: Round }[]): readonly string[] {
  const of = (pick: (pair: (typeof rounds)[number]) => number): number => median(rounds.map(pick));
  return [
    of((pair) => pair.process.perSecond).toFixed(0),
    of((pair) => pair.thread.perSecond).toFixed(0),
    of((pair) => pair.process.perSecond / pair.thread.perSecond).toFixed(2),
    of((pair) => pair.process.cpuUs).toFixed(0),
    of((pair) => pair.thread.cpuUs).toFixed(0),
    of((pair) => pair.process.cpuUs / pair.thread.cpuUs).toFixed(2),
  ];
}

async function measure(
  { origin, pid }: Program,
  path: string,
  { roundSeconds, connections }: IsolationEffort,
): Promise<Round> {
  const before = await cpuSecondsOf(pid);
  const result = await autocannon({ url: origin + path, duration: roundSeconds, connections });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${origin}${path} failed under load`);
  const cpuSeconds = (await cpuSecondsOf(pid)) - before;
  const requests = result["2xx"];
  return { perSecond: requests / result.duration, cpuUs: (cpuSeconds / requests) * 1e6 };
}

const TICKS_PER_SECOND = 100;

/** Processor time of a process and of its children that run. Linux only; NaN elsewhere. */
async function cpuSecondsOf(pid: number): Promise<number> {
  const pids = await readdir("/proc").catch(() => []);
  const seconds = await Promise.all(
    pids.filter((name) => /^\d+$/.test(name)).map((name) => cpuSecondsIn(name, pid)),
  );
  return seconds.length === 0 ? NaN : seconds.reduce((sum, value) => sum + value, 0);
}

async function cpuSecondsIn(name: string, pid: number): Promise<number> {
  const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (Number(name) !== pid && Number(fields[1]) !== pid) return 0;
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

const line = (name: string, columns: readonly string[]): string =>
  `${name.padEnd(12)}${columns.map((text) => text.padStart(10)).join("")}`;
