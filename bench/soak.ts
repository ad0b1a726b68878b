// `npm run soak`: 15 minutes of mixed load on a server with workers, with reloads and killed workers.
// `-- --seconds 60` for less. It ends with 1 if an acknowledged row is lost, or if a reply has an unexpected status.
import { setMaxListeners } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openRaw } from "../spec/harness/raw-sqlite.js";
import { median, percentile } from "./figures.js";
import { buildLibrary } from "./library.js";
import { startProgram, type Program } from "./program.js";
import { loads, Tally } from "./soak/loads.js";
import { growthPerMinute, processTree, usageOf, type Usage } from "./soak/process-tree.js";

const { values: options } = parseArgs({ options: { seconds: { type: "string", default: "900" } } });
const seconds = Number(options.seconds);
/** Of shorter runs, growth and times are printed but not judged. */
const JUDGED_SECONDS = 180;
const WARM_UP_SHARE = 1 / 3;
const MOST_GROWTH_PERCENT = 1;
const MOST_P99_MS = 50;
const RELOAD_EVERY_MS = Math.min(30_000, (seconds * 1000) / 4);
const KILL_EVERY_MS = Math.min(60_000, (seconds * 1000) / 3);

const folder = await mkdtemp(join(tmpdir(), "rowhouse-soak-"));
process.exitCode = await soak().finally(() => rm(folder, { recursive: true, force: true }));
process.exit();

async function soak(): Promise<number> {
  const file = join(folder, "soak.db");
  const server = await startServer(file);
  const tally = new Tally();
  const end = new AbortController();
  setMaxListeners(0, end.signal);
  const stage = { origin: server.origin, file, tally, signal: end.signal };
  const running = Object.values(loads).map((load) => load(stage));
  const count = { reloads: 0, kills: 0 };
  const disturbing = [
    every(RELOAD_EVERY_MS, end.signal, () => {
      process.kill(server.pid, "SIGHUP");
      count.reloads += 1;
    }),
    every(KILL_EVERY_MS, end.signal, () => {
      count.kills += killWorker(server, tally);
    }),
  ];
  const usages = await sample(server);
  end.abort();
  await Promise.all([...running, ...disturbing]);
  const lost = await lostRows(server, file, tally);
  return report({ tally, usages, lost, ...count });
}

async function startServer(file: string): Promise<Program> {
  await buildLibrary(file, 50_000, "wal");
  const raw = await openRaw(file);
  await raw.run("create table written (id integer primary key, note text)");
  await raw.close();
  const metadata = join(folder, "metadata.json");
  await writeFile(metadata, JSON.stringify({ databases: { soak: { permissions: { "insert-row": true } } } }));
  const words = [file, "-p", "0", "--no-config", "-m", metadata, "--workers", "2", "--log-level", "info"];
  return startProgram(fileURLToPath(new URL("../cli/rowhouse.cjs", import.meta.url)), words);
}

async function every(ms: number, signal: AbortSignal, work: () => void): Promise<void> {
  for (;;) {
    await sleep(ms, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    work();
  }
}

/** Kills one of the workers, the one that writes in half of all cases. @returns how many were killed */
function killWorker({ pid }: Program, tally: Tally): number {
  const workers = processTree(pid).filter(({ parent }) => parent === pid);
  const one = workers[Math.floor(Math.random() * workers.length)];
  if (one === undefined) return 0;
  tally.killedMs = performance.now();
  process.kill(one.pid, "SIGKILL");
  return 1;
}

async function sample({ pid }: Program): Promise<readonly Usage[]> {
  const began = performance.now();
  const elapsed = (): number => (performance.now() - began) / 1000;
  const usages: Usage[] = [];
  while (elapsed() < seconds) {
    await sleep(1_000);
    usages.push(usageOf(pid, elapsed()));
  }
  return usages;
}

async function lostRows(server: Program, file: string, { acknowledged }: Tally): Promise<number> {
  server.stop();
  while (processTree(server.pid).length > 0) await sleep(50);
  const raw = await openRaw(file);
  const stored = new Set((await raw.all("select id from written")).map(({ id }) => id));
  const [check] = await raw.all("pragma integrity_check");
  await raw.close();
  if (check?.["integrity_check"] !== "ok") throw new Error(`The file is damaged: ${JSON.stringify(check)}`);
  return acknowledged.filter((id) => !stored.has(id)).length;
}

interface Outcome {
  readonly tally: Tally;
  readonly usages: readonly Usage[];
  readonly lost: number;
  readonly reloads: number;
  readonly kills: number;
}

/** Prints the figures. @returns the exit code */
function report({ tally, usages, lost, reloads, kills }: Outcome): number {
  const warm = usages.filter((usage) => usage.seconds > seconds * WARM_UP_SHARE);
  const growth = {
    memory: growthPerMinute(warm.map((usage) => [usage.seconds, usage.megabytes])),
    descriptors: growthPerMinute(warm.map((usage) => [usage.seconds, usage.descriptors])),
  };
  const p99 = percentile(tally.smallPageMs, 0.99);
  const last = usages.at(-1);
  const lines: readonly (readonly [string, string])[] = [
    ["seconds", seconds.toFixed(0)],
    [
      "load average",
      loadavg()
        .map((load) => load.toFixed(1))
        .join(" "),
    ],
    ["reloads", String(reloads)],
    ["workers killed", String(kills)],
    ["rows acknowledged", String(tally.acknowledged.length)],
    ["rows lost", String(lost)],
    ["unexpected replies", String(tally.unexpected.length)],
    ["connections that broke", String(tally.broken)],
    ["small page, median ms", median(tally.smallPageMs).toFixed(1)],
    ["small page, 99 % ms", p99.toFixed(1)],
    ["memory of all processes, MB", (last?.megabytes ?? 0).toFixed(0)],
    ["its growth, % a minute", growth.memory.toFixed(2)],
    ["descriptors", String(last?.descriptors ?? 0)],
    ["their growth, % a minute", growth.descriptors.toFixed(2)],
    ...[...tally.statuses].toSorted().map(([name, count]) => [`replies: ${name}`, String(count)] as const),
  ];
  for (const [name, value] of lines) console.log(`${name.padEnd(32)}${value.padStart(20)}`);
  for (const name of new Set(tally.unexpected)) console.log(`Not expected: ${name}`);
  const isFlat = Math.max(growth.memory, growth.descriptors) < MOST_GROWTH_PERCENT;
  const isGood = seconds < JUDGED_SECONDS || (isFlat && p99 < MOST_P99_MS && tally.acknowledged.length > 0);
  return lost === 0 && tally.unexpected.length === 0 && isGood ? 0 : 1;
}
