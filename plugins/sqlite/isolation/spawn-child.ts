import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("./child.cjs", import.meta.url));
const PIPE = 3;
const MEBIBYTE = 1_048_576;
const LEAST_HEAP_MB = 64;
const NEW_SPACE_MB = 1;
const HEAP_GROWTH_PERCENT = 20;

/** A process with the pipe on which it takes commands. */
export interface SpawnedChild {
  readonly child: ChildProcess;
  /** Null when the process could not be started. */
  readonly pipe: Socket | null;
}

/** Starts the program that runs untrusted SQL. It does not prevent the server from ending. */
export function spawnChild(memoryBytes: number): SpawnedChild {
  const child = spawn(process.execPath, [...v8Options(memoryBytes), PROGRAM], {
    env: childEnvironment(process.env),
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  child.unref();
  (child.stderr as Socket | null)?.unref();
  return { child, pipe: (child.stdio?.[PIPE] as Socket | undefined) ?? null };
}

/**
 * JavaScript only passes results on: it may use a third of the memory, with a small space for new objects, and keeps little
 * garbage.
 */
const v8Options = (memoryBytes: number): readonly string[] => [
  "--optimize-for-size",
  `--heap-growing-percent=${HEAP_GROWTH_PERCENT}`,
  `--max-semi-space-size=${NEW_SPACE_MB}`,
  `--max-old-space-size=${Math.max(LEAST_HEAP_MB, Math.floor(memoryBytes / MEBIBYTE / 3))}`,
];

/** Variables that libraries read: where they are, how they are loaded, which language and time zone they use. */
const PASSED_ON =
  /^(PATH|HOME|TMPDIR|TEMP|TMP|TZ|LANG|LANGUAGE|LC_\w+|LD_\w+|DYLD_\w+|SystemRoot|windir|(PROJ|GDAL|GEOS|SPATIALITE|SQLITE)_?\w*)$/i;

// A process runs one statement at a time. A second thread would only take turns with the first one.
const THREADS = "1";

// How many pools of memory the C library has. Each keeps memory that SQLite has freed.
const MEMORY_POOLS = "1";

/** The environment of a process that runs untrusted SQL: no secrets, and no Node options of the server. */
const childEnvironment = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(environment).filter(([name]) => PASSED_ON.test(name))),
  UV_THREADPOOL_SIZE: THREADS,
  MALLOC_ARENA_MAX: MEMORY_POOLS,
});

/** The memory of a process that is not swapped out, in bytes; null on systems other than Linux. */
export function residentBytes(pid: number): number | null {
  try {
    const kibibytes = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
    return kibibytes === undefined ? null : Number(kibibytes) * 1024;
  } catch {
    return null;
  }
}
