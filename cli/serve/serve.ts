import { StartupError, type Log } from "rowhouse/plugin-api";
import { addressOf, type Address } from "../configuration/address.js";
import type { Parsed } from "../arguments/arguments.js";
import type { PartialChoices } from "../arguments/choices.js";
import { consoleLog, quietLog } from "../log/console-log.js";
import { choosePlugins, serverOptions } from "../configuration/kernel-options.js";
import { readStart, type Start } from "../configuration/read-start.js";
import { resolveAgain, resolveChoices, type Resolved } from "../configuration/resolve.js";
import { serveAlone } from "./serve-alone.js";
import { WORKER_VARIABLE } from "../workers/messages.js";
import { logUncaughtErrors } from "./uncaught-errors.js";
import { sweepTemporaryFiles } from "./temporary-files.js";

/**
 * The command `serve`: prints one reply with `--get`, otherwise serves until a signal ends it.
 *
 * @throws StartupError if it cannot start
 */
export async function serve(parsed: Parsed): Promise<void> {
  if (parsed["help-settings"] === true) return printSettings(parsed);
  const configOfFirst = process.env[WORKER_VARIABLE];
  // The first process has printed the warnings about the configuration.
  const startLog = configOfFirst === undefined ? consoleLog : quietLog;
  const resolved = await resolveAgain(parsed, configOfFirst || null, startLog);
  const { choices, configFile } = resolved;
  if (choices.pdb === true) consoleLog.info("--pdb: to debug, run node --inspect instead");
  if (choices.get !== undefined) {
    const found = await choosePlugins(resolved);
    logUncaughtErrors(found.files, consoleLog);
    const options = await serverOptions(resolved, found, consoleLog);
    const { answerOnce } = await import("./get.js");
    return answerOnce(options, choices, choices.get);
  }
  refuseWithoutGet(choices);
  const reload = choices.reload === true ? await import("./dev-restart.js") : null;
  if (reload !== null && !reload.isSupervised())
    return reload.superviseReloads(resolved, () => resolveChoices(parsed, quietLog));
  reload?.endWithSupervisor();
  const address = addressAt(choices, reload?.supervisedPort() ?? choices.port);
  const workers = reload === null ? (choices.workers ?? 1) : 1;
  const role = workers > 1 ? await (await import("../workers/role.js")).roleOf() : null;
  void sweepTemporaryFiles();
  if (role?.kind === "first") {
    const choicesAgain = async (): Promise<PartialChoices> =>
      (await resolveAgain(parsed, configFile, quietLog)).choices;
    return role.supervise({ choices, configFile, address, count: workers, choicesAgain });
  }
  const additions = {
    plugins: parsed["dev"] === true ? [(await import("./dev-refresh.js")).devRefresh] : [],
    aroundLog: role === null ? (log: Log) => log : role.startLog,
  };
  const read = async (chosen: Resolved): Promise<Start> => {
    const start = await readStart(chosen, additions);
    logUncaughtErrors(start.files, start.log);
    return start;
  };
  const readAgain = async (log: Log): Promise<Start> => read(await resolveAgain(parsed, configFile, log));
  const start = await read(resolved);
  if (role !== null) return role.serve(start, address, readAgain);
  await serveAlone(start, address, readAgain);
}

function addressAt(choices: PartialChoices, port: number | undefined): Address {
  return addressOf({ ...choices, ...(port !== undefined && { port }) });
}

function refuseWithoutGet(choices: PartialChoices): void {
  for (const name of ["token", "actor", "headers"] as const) {
    if (choices[name] !== undefined) throw new StartupError(`--${name} can only be used with --get`);
  }
}

async function printSettings(parsed: Parsed): Promise<void> {
  const shared = ["config", "no-config", "plugins-dir"].filter((name) => Object.hasOwn(parsed, name));
  const only = Object.fromEntries(shared.map((name) => [name, parsed[name]]));
  const { declaredSettings } = await import("rowhouse");
  const { describeSettings } = await import("../configuration/settings.js");
  const { plugins } = await choosePlugins(await resolveChoices(only, consoleLog));
  const declared = declaredSettings(plugins.map(({ plugin }) => plugin));
  process.stdout.write(`${describeSettings(declared.values())}\n`);
}
