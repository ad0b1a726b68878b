import { spawn, type StdioOptions } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { basename, delimiter, resolve } from "node:path";
import { StartupError } from "rowhouse/plugin-api";
import { shellWord, type Tool, type ToolOptions } from "rowhouse/plugin-api/contracts";

/** Finds a program. @throws StartupError with the message `missing` if PATH does not contain it */
export function toolNamed(program: string, missing: string): Tool {
  const path = pathOf(program);
  if (path === null) throw new StartupError(missing);
  return {
    run: async (words, options = {}) => {
      await finished(path, words, { ...options, output: "inherit" });
    },
    read: (words, options = {}) => finished(path, words, { ...options, output: "pipe" }),
  };
}

function pathOf(program: string): string | null {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(Boolean);
  return folders.map((folder) => resolve(folder, program)).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Ignores Ctrl+C, which the program receives too, so that temporary files are deleted after it ends. */
const ignore = (): void => {};

type Run = ToolOptions & { readonly output: "inherit" | "pipe" };

async function finished(path: string, words: readonly string[], run: Run): Promise<string> {
  const stdio: StdioOptions = [run.input === undefined ? "inherit" : "pipe", run.output, "inherit"];
  const child = spawn(path, words, { stdio, cwd: run.folder });
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (output += text));
  // Ignores errors if the program does not read all of its input.
  child.stdin?.on("error", () => {}).end(run.input);
  const passOn = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on("SIGINT", ignore).on("SIGTERM", passOn);
  try {
    const end = await new Promise<number | string>((done, failed) => {
      child.once("error", (error) => failed(new StartupError(`${path} could not be run: ${error.message}`)));
      child.once("close", (code, signal) => done(code ?? signal ?? 1));
    });
    if (end === 0) return output;
    throw new StartupError(`${calledBy(path, words)} failed (${end})`);
  } finally {
    process.off("SIGINT", ignore).off("SIGTERM", passOn);
  }
}

/** The command without its arguments, which may be secret: `gcloud builds submit`. */
function calledBy(path: string, words: readonly string[]): string {
  const end = words.findIndex((word) => !/^[a-z][a-z:]*$/i.test(word));
  return [basename(path), ...words.slice(0, end === -1 ? words.length : end)].join(" ");
}

/** Quotes arguments for a POSIX shell. */
export const shellLine = (words: readonly string[]): string => words.map(shellWord).join(" ");
