import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Agent } from "node:http";
import { fileURLToPath } from "node:url";
import { commandLine, profileFolder } from "./profiles.js";

const COMMAND = fileURLToPath(new URL("../../cli/rowhouse.cjs", import.meta.url));
const RUNNING = /^Rowhouse running on https?:\/\/[^:]+:(\d+)/m;
const START_LIMIT_MS = 90_000;

/** A running server of a profile. */
export interface Server {
  readonly profile: string;
  readonly port: number;
  readonly agent: Agent;
  /** False once it has died. */
  running(): boolean;
  /** What it has logged so far. */
  log(): string;
  stop(): Promise<void>;
}

/** Ends the processes that are still there when this one goes. */
const left = new Set<() => void>();
process.once("exit", () => {
  for (const kill of left) kill();
});

/** Starts the real command on fresh copies of the profile's files, and waits until it listens. */
export async function startServer(profile: string): Promise<Server> {
  const folder = await profileFolder(profile);
  const child = spawn(process.execPath, [COMMAND, ...commandLine(profile), "-p", "0"], {
    cwd: folder,
    env: outerEnvironment(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  const kill = (): void => void child.kill("SIGKILL");
  const exited = once(child, "exit").finally(() => left.delete(kill));
  left.add(kill);
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (log += text));
  const port = await listeningPort(child, profile, () => log);
  const agent = new Agent({ keepAlive: true });
  return {
    profile,
    port,
    agent,
    running: () => child.exitCode === null && child.signalCode === null,
    log: () => log,
    stop: async () => {
      agent.destroy();
      kill();
      await exited;
    },
  };
}

/** The surroundings must not change answers: nothing of Rowhouse's own is passed on. */
const outerEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("ROWHOUSE_")));

function listeningPort(child: ChildProcess, profile: string, log: () => string): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => {
      clearTimeout(timer);
      child.kill("SIGKILL");
      reject(new Error(`The server of profile ${profile} ${reason}\n${shownCommand(profile)}\n${log()}`));
    };
    const timer = setTimeout(() => fail("did not say that it listens"), START_LIMIT_MS);
    const ended = (code: number | null): void => fail(`ended with code ${code} instead of listening`);
    child.once("exit", ended);
    child.stderr?.on("data", () => {
      const port = RUNNING.exec(log())?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      child.off("exit", ended);
      resolve(Number(port));
    });
  });
}

/** A profile's command as one would type it. */
export const shownCommand = (profile: string): string =>
  `rowhouse ${commandLine(profile)
    .map((word) => (/^[\w./-]+$/.test(word) ? word : `'${word}'`))
    .join(" ")}`;
