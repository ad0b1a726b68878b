import { readFileSync } from "node:fs";

/** The memory of a process that is not swapped out, in bytes; null where the system does not tell (it is Linux that does). */
export function residentBytes(pid: number): number | null {
  try {
    const kibibytes = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
    return kibibytes === undefined ? null : Number(kibibytes) * 1024;
  } catch {
    return null;
  }
}
