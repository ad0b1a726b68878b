import { existsSync, statSync } from "node:fs";
import { isObject, messageOf, StartupError, type Database, type Rowhouse } from "rowhouse/plugin-api";
import { RowhouseError } from "rowhouse/plugin-api/errors";
import { keepOverReloads, LONGEST_TIMER_MS } from "rowhouse/plugin-api/kernel";
import { backUp, newestBackupMs, type BackupTarget } from "./back-up.js";

interface Plan extends BackupTarget {
  readonly everyMs: number;
}

const MEGABYTE = 1_000_000;
/** How often the server looks which backups are due, and how long after its start. */
const MAX_CHECK_MS = 60_000;
const FIRST_CHECK_MS = 1_000;

/**
 * Backs up all databases that can be written to while the server runs, as configured. Of several workers only the one
 * that writes does. The newest backup in the folder decides when the next one is due: a server that is often reloaded or
 * restarted would never reach the end of a timer.
 */
export async function startSchedule(rowhouse: Rowhouse): Promise<{ stop(): Promise<void> }> {
  const plan = planOf(await rowhouse.pluginConfig("backup"));
  if (plan === null) return { stop: () => Promise.resolve() };
  if (!existsSync(plan.target))
    throw new StartupError(`The folder for backups does not exist: ${plan.target}`);
  if (!statSync(plan.target).isDirectory())
    throw new StartupError(`The folder for backups is not a folder: ${plan.target}`);
  const end = new AbortController();
  // After a reload, the server of before can still be making a backup, until its last request has ended.
  const kept = keepOverReloads(rowhouse, "backup", () => ({ isRunning: false }));
  let running: Promise<void> | null = null;
  const checkMs = Math.min(plan.everyMs, MAX_CHECK_MS);
  /** Of each database, on the clock of `performance.now()`, which never jumps. One that failed has no file. */
  const lastTries = new Map<string, number>();
  const isDue = async ({ name }: Database): Promise<boolean> => {
    const passedMs = Math.min(
      performance.now() - (lastTries.get(name) ?? -Infinity),
      Date.now() - (await newestBackupMs(plan.target, name)),
    );
    // Timers are not exact: without this, a backup could be late by a whole check each time.
    return passedMs >= plan.everyMs - checkMs / 2;
  };
  const run = async (): Promise<void> => {
    if (rowhouse.option("isWriter")?.() === false) return;
    for (const database of databasesOf(rowhouse)) {
      if (!(await isDue(database))) continue;
      lastTries.set(database.name, performance.now());
      await backUpOne(rowhouse, database, plan, end.signal);
    }
  };
  // None begins during a run: with `keep`, several equal backups after a slow one would replace the older ones.
  const check = (): void => {
    if (kept.isRunning) return;
    kept.isRunning = true;
    running = run().finally(() => (kept.isRunning = false));
  };
  const timers = [setTimeout(check, FIRST_CHECK_MS), setInterval(check, checkMs)];
  timers.forEach((timer) => timer.unref());
  return {
    async stop() {
      timers.forEach(clearTimeout);
      end.abort();
      await running;
    },
  };
}

const databasesOf = (rowhouse: Rowhouse): readonly Database[] =>
  [...rowhouse.databases.values()].filter(({ mutable, backup }) => mutable && backup !== undefined);

/** A backup that fails is logged, and tried again at its next time. */
async function backUpOne(
  { log }: Rowhouse,
  database: Database,
  plan: Plan,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  const startedMs = performance.now();
  try {
    const path = await backUp(database, plan, signal);
    const ms = Math.round(performance.now() - startedMs);
    log.info(`${database.name} was backed up to ${path}`, { database: database.name, ms });
  } catch (error) {
    if (signal.aborted) return;
    const isExpected = error instanceof StartupError || error instanceof RowhouseError;
    log.error(`${database.name} could not be backed up: ${messageOf(error)}`, ...(isExpected ? [] : [error]));
  }
}

function wrong(what: string): never {
  throw new StartupError(`The configuration of the plugin backup ${what}`, 2);
}

/** @throws StartupError for a configuration that can't be used */
function planOf(config: unknown): Plan | null {
  if (config === null) return null;
  if (!isObject(config)) return wrong("should be an object");
  const { folder, every, keep = 0, rate = 0, ...others } = config;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    wrong(`has the unknown key ${unknown}: it may have folder, every, keep and rate`);
  if (typeof folder !== "string" || typeof every !== "string") return wrong("needs folder and every");
  if (![keep, rate].every((value) => Number.isSafeInteger(value) && Number(value) >= 0))
    wrong("should have whole numbers as keep and rate");
  try {
    const everyMs = durationMs(every);
    return {
      target: folder,
      isRepeated: true,
      everyMs,
      keep: Number(keep),
      maxBytesPerSecond: Number(rate) * MEGABYTE,
    };
  } catch (error) {
    return wrong(`has a wrong every: ${messageOf(error)}`);
  }
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a text such as `90s`, `15m`, `1h` or `1d`. @throws StartupError for other texts */
export function durationMs(text: string): number {
  const [, count = "", unit = ""] = /^(\d+)([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS_MS[unit] ?? Number.NaN);
  if (ms >= 1_000 && ms <= LONGEST_TIMER_MS) return ms;
  throw new StartupError(`'${text}' is no duration: write 90s, 15m, 1h or 1d, at most 24d`, 2);
}
