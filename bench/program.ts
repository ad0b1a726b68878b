import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** The report of `probe.ts`: the longest time in which the event loop was blocked. */
export interface Blocked {
  readonly longestMs: number;
  /** Without the time in which other processes used the processor. 0 unless `PROBE_CPU` is 1. */
  readonly longestCpuMs: number;
}

/** A server in a process of its own. */
export interface Program {
  readonly origin: string;
  readonly pid: number;
  /** The peak memory of its process (Linux's `VmHWM`); NaN on other systems. */
  peakMegabytes(): Promise<number>;
  /** How long its event loop was blocked since the last call. */
  blocked(): Promise<Blocked>;
  stop(): void;
}

const RUNNING = /running on (http:\/\/[\w.]+:\d+)/;

const running = new Set<ChildProcess>();
process.once("exit", () => running.forEach((child) => child.kill()));

const PROBE = fileURLToPath(new URL("probe.js", import.meta.url));

interface ProgramOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** The port of a program that does not print its address. */
  readonly port?: number;
}

/** Starts a Node program and waits until it prints its address to stderr, or listens on the given port. */
export async function startProgram(
  script: string,
  words: readonly string[],
  { environment = {}, port }: ProgramOptions = {},
): Promise<Program> {
  const stdio = ["ignore", "ignore", "pipe", "ipc"] as const;
  const child = spawn(process.execPath, ["--import", PROBE, script, ...words], {
    stdio: [...stdio],
    env: { ...process.env, ...environment },
  });
  running.add(child);
  let output = "";
  const origin = await new Promise<string>((resolve, reject) => {
    if (port !== undefined) untilListening(port).then(resolve, reject);
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const found = RUNNING.exec(output)?.[1];
      if (found === undefined) return;
      // The log of requests is read, but not kept: the server must not wait for its reader.
      child.stderr?.removeAllListeners("data").resume();
      resolve(found);
    });
    child.once("exit", () => reject(new Error(`${script} ended:\n${output}`)));
  });
  return {
    origin,
    pid: child.pid ?? 0,
    peakMegabytes: () => peakMegabytes(child.pid),
    blocked: () => blocked(child),
    stop: () => void child.kill(),
  };
}

/** @returns the address. Waits for half a minute at most. */
async function untilListening(port: number): Promise<string> {
  const origin = `http://127.0.0.1:${port}`;
  for (const end = performance.now() + 30_000; ; await sleep(50)) {
    try {
      await (await fetch(origin)).arrayBuffer();
      return origin;
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}

async function blocked(child: ChildProcess): Promise<Blocked> {
  const replied = once(child, "message");
  child.send("report");
  const [report] = (await replied) as [Blocked];
  return report;
}

async function peakMegabytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kibibytes = /^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1];
  return (Number(kibibytes ?? NaN) * 1024) / 1e6;
}
