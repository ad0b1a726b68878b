import { spawn } from "node:child_process";

/** A server in a process of its own. */
export interface Program {
  readonly origin: string;
  stop(): void;
}

const RUNNING = /running on (http:\/\/[\w.]+:\d+)/;

/** Starts a Node program and waits until it says on stderr where it listens. */
export async function startProgram(script: string, words: readonly string[]): Promise<Program> {
  const child = spawn(process.execPath, [script, ...words], { stdio: ["ignore", "ignore", "pipe"] });
  process.once("exit", () => child.kill());
  const said: string[] = [];
  const origin = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said.push(text);
      const found = RUNNING.exec(said.join(""))?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", () => reject(new Error(`${script} ended:\n${said.join("")}`)));
  });
  return { origin, stop: () => void child.kill() };
}
