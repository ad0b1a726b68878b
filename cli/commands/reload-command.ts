import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StartupError, type Command } from "rowhouse/plugin-api";
import type { Parsed } from "../arguments/arguments.js";
import { declareOptions } from "../arguments/command-line.js";
import { consoleLog } from "../log/console-log.js";
import { readPid, readReport } from "../serve/pid-file.js";
import type { ReloadReport } from "../serve/reloader.js";
import { resolveChoices } from "../configuration/resolve.js";
import { optionsNamed } from "../arguments/serve-options.js";

const options = optionsNamed("pid-file", "no-config", "config");

const LOOK_EVERY_MS = 50;

/** `rowhouse reload`: tells a running server to read its configuration again, and prints the outcome. */
export const reloadCommand: Command = {
  command: "reload",
  describe: "Let a running server read configuration, metadata, templates and plugins again",
  builder: (line) =>
    declareOptions(line, options)
      .option("wait", {
        type: "number",
        default: 60,
        describe: "Seconds to wait for the outcome",
      })
      .example("$0 reload --pid-file /run/rowhouse.pid", "The server that was started with this option"),
  handler: async ({ wait, ...parsed }: Parsed) => {
    const { choices } = await resolveChoices(parsed, consoleLog);
    if (choices.pidFile === undefined) {
      throw new StartupError("Which server? Give its --pid-file, with which it was started", 2);
    }
    const waitSeconds = Number(wait);
    if (!(waitSeconds > 0))
      throw new StartupError("Invalid value for '--wait': should be a number of seconds", 2);
    const { problem } = await reload(choices.pidFile, waitSeconds * 1_000);
    if (problem !== null) {
      throw new StartupError(`Nothing was reloaded, the server continues as before: ${problem}`);
    }
    process.stdout.write("Reloaded\n");
  },
};

/** @throws StartupError if no server runs, or if it does not answer in time */
async function reload(path: string, waitMs: number): Promise<ReloadReport> {
  const pid = readPid(path);
  if (pid === null) throw new StartupError(`No server has written its process id to ${path}`);
  const before = readReport(path)?.reloads ?? 0;
  signal(pid, path);
  const until = performance.now() + waitMs;
  while (performance.now() < until) {
    const report = readReport(path);
    if (report !== null && report.reloads > before) return report;
    if (readPid(path) !== pid) throw new StartupError("The server ended before it had reloaded");
    await sleep(LOOK_EVERY_MS);
  }
  throw new StartupError(`The server has not reloaded within ${waitMs / 1_000} seconds: see its log`);
}

/** @throws StartupError if the process is no server: the file of one that was killed remains */
function signal(pid: number, path: string): void {
  try {
    if (!isServer(pid)) throw new Error("another program");
    process.kill(pid, "SIGHUP");
  } catch (error) {
    throw new StartupError(`The server that wrote its process id (${pid}) to ${path} no longer runs`, 1, {
      cause: error,
    });
  }
}

/** False for a process of another program. Where the system does not tell the command of a process, it is a server. */
function isServer(pid: number): boolean {
  if (!existsSync("/proc/self/cmdline")) return true;
  const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  return words.some((word) => COMMAND.test(basename(word)));
}

/** The file of the command, and the link to it. An editor of `rowhouse.yaml` would end. */
const COMMAND = /^rowhouse(?:\.cjs)?$/;
