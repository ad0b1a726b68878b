import { readdirSync, readFileSync } from "node:fs";

/** A process that a server has started, directly or not. */
export interface TreeProcess {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** A server and all processes that it has started. Linux only. */
export function processTree(root: number): readonly TreeProcess[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => describe(Number(name)));
  const tree = all.filter(({ pid }) => pid === root);
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid));
  return tree;
}

function describe(pid: number): readonly TreeProcess[] {
  try {
    const parent = Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
    return [{ pid, parent, command: readFileSync(`/proc/${pid}/cmdline`, "utf8") }];
  } catch {
    return [];
  }
}

/** The memory and the open descriptors of processes together. */
export interface Usage {
  readonly seconds: number;
  readonly megabytes: number;
  readonly descriptors: number;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;

export function usageOf(root: number, seconds: number): Usage {
  const each = processTree(root).map(({ pid }) => ({
    kilobytes: residentKilobytes(pid),
    descriptors: descriptorsOf(pid),
  }));
  return {
    seconds,
    megabytes: sum(each.map(({ kilobytes }) => kilobytes)) / 1024,
    descriptors: sum(each.map(({ descriptors }) => descriptors)),
  };
}

/** The memory of a process that is not swapped out; 0 if it has ended. Linux only. */
export function residentKilobytes(pid: number): number {
  try {
    return Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** By how much of its mean a value grows in a minute: the slope of the line through all samples, in percent. */
export function growthPerMinute(samples: readonly (readonly [seconds: number, value: number])[]): number {
  const [meanX, meanY] = [mean(samples.map(([x]) => x)), mean(samples.map(([, y]) => y))];
  const above = samples.reduce((total, [x, y]) => total + (x - meanX) * (y - meanY), 0);
  const below = samples.reduce((total, [x]) => total + (x - meanX) ** 2, 0);
  return below === 0 || meanY === 0 ? 0 : ((above / below) * 60 * 100) / meanY;
}
