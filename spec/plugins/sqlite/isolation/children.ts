import { readdirSync, readFileSync } from "node:fs";

/** Processes for untrusted SQL that a server has started, by id. Linux only. */
export const childrenOf = (server: number): readonly number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isChildOf(pid, server));

/** Those of this process that are new. Others may have ended meanwhile. */
export const startedSince = (before: readonly number[]): readonly number[] =>
  childrenOf(process.pid).filter((pid) => !before.includes(pid));

function isChildOf(pid: number, server: number): boolean {
  try {
    const parent = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    return Number(parent) === server && command.includes("isolation/child.cjs");
  } catch {
    return false;
  }
}

/** True while a process exists that is not waiting for its parent to notice its end. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** One call of a function that takes minutes and can't be interrupted. */
export const STUCK = "select instr(zeroblob(20000000), zeroblob(10000000)||x'01')";

/** Common table expressions each of which is twice the one before: preparing the last takes longer than anything. */
export function doubling(count: number): string {
  const tables = Array.from(
    { length: count },
    (_, index) => `a${index + 1} as (select * from a${index} union all select * from a${index})`,
  );
  return `with a0 as (select 1), ${tables.join(", ")} select count(*) from a${count}`;
}
