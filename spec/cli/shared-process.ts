import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Duplex } from "node:stream";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** How a run of the command ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What is run in a process that other command lines share. */
export interface CommandLine {
  /** Where it runs, also the home of its user. */
  readonly folder: string;
  readonly words: readonly string[];
  /** Added to the environment while it runs. */
  readonly environment: Readonly<Record<string, string>>;
  /** What it reads from its standard input. */
  readonly input: string;
}

const PROGRAM = fileURLToPath(new URL("command-process.js", import.meta.url));

/** A process that runs command lines one after another. */
export interface SharedProcess {
  /** Runs one after those that wait. @throws Error if the process ends meanwhile */
  run(line: CommandLine): Promise<Ended>;
  /**
   * @throws Error if a command left open what keeps a process running, ended its process, or printed something after
   *   its end
   */
  end(): Promise<void>;
}

const END_WITHIN_MS = 30_000;

let shared: SharedProcess | null = null;
let users = 0;

/** Call before the first `callCommand`: the process is one of all that use it at a time. */
export function useSharedProcess(): void {
  users += 1;
}

/** Runs a command line in the process, which the first one starts. */
export function callCommand(line: CommandLine): Promise<Ended> {
  shared ??= startProcess();
  return shared.run(line);
}

/** Ends the process after the last use. @throws Error as `SharedProcess.end` does */
export async function leaveSharedProcess(): Promise<void> {
  users -= 1;
  if (users > 0) return;
  const ending = shared;
  shared = null;
  await ending?.end();
}

/** @param endWithinMs how long it may take to end after its last command */
export function startProcess(endWithinMs = END_WITHIN_MS): SharedProcess {
  const child = spawn(process.execPath, [PROGRAM], {
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const channel = child.stdio[3] as Duplex;
  const replies = createInterface({ input: channel })[Symbol.asyncIterator]();
  const exited = once(child, "close");
  // The commands write to streams that are replaced there: what comes here is an error of the process itself.
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => (said += text));
  }
  const failed = (reason: string): Error => new Error(`${reason}${said === "" ? "" : `: ${said}`}`);
  const runNext = async (line: CommandLine): Promise<Ended> => {
    channel.write(`${JSON.stringify(line)}\n`);
    const { value, done } = await replies.next();
    if (done === true || said !== "")
      throw failed(`The process ended during rowhouse ${line.words.join(" ")}`);
    return JSON.parse(value as string) as Ended;
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    run: (line) => {
      const ended = last.then(() => runNext(line));
      last = ended.catch(() => null);
      return ended;
    },
    end: async () => {
      channel.end();
      const timer = setTimeout(() => child.kill("SIGKILL"), endWithinMs);
      const [code, signal] = (await exited) as [number | null, string | null];
      clearTimeout(timer);
      if (signal !== null) throw failed("A command left something open, so that its process does not end");
      if (code !== 0) throw failed("A command ended its process, or printed something after it had ended");
    },
  };
}
