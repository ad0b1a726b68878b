import { spawn, type ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { childEnvironment } from "./environment.js";

const PROGRAM = fileURLToPath(new URL("./child.cjs", import.meta.url));
const PIPE = 3;
const MEBIBYTE = 1_048_576;
const LEAST_HEAP_MB = 64;
const NEW_SPACE_MB = 1;

/** A process with the pipe on which it takes commands. */
export interface SpawnedChild {
  readonly child: ChildProcess;
  /** Null when the process could not be started. */
  readonly pipe: Socket | null;
}

/** Starts the program that runs untrusted SQL. It does not keep the server from ending. */
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

/** A third of what the process may hold goes to JavaScript, which only carries results: little of that is new. */
const v8Options = (memoryBytes: number): readonly string[] => [
  `--max-semi-space-size=${NEW_SPACE_MB}`,
  `--max-old-space-size=${Math.max(LEAST_HEAP_MB, Math.floor(memoryBytes / MEBIBYTE / 3))}`,
];
