import type { KernelOptions } from "rowhouse";
import { StartupError, type Log } from "rowhouse/plugin-api";
import { addressOf, ensureFree, type Address } from "./address.js";
import type { Parsed } from "./arguments.js";
import type { PartialChoices } from "./choices.js";
import { consoleLog, quietLog } from "./console-log.js";
import { choosePlugins, serverOptions } from "./kernel-options.js";
import { logFor } from "./log/log-for.js";
import { resolveChoices } from "./resolve.js";
import { warnAboutSecret } from "./secret.js";
import { openKernel, rootUrl, startServer, stopServer } from "./start-server.js";
import { MARK as WORKER } from "./workers/messages.js";
import { logUncaughtErrors } from "./uncaught-errors.js";
import { sweepTemporaryFiles } from "./temporary-files.js";

/**
 * The command `serve`: prints one reply with `--get`, otherwise serves until a signal ends it.
 *
 * @throws StartupError if it cannot start
 */
export async function serve(parsed: Parsed): Promise<void> {
  if (parsed["help-settings"] === true) return printSettings(parsed);
  // The first process has printed the warnings about the configuration.
  const resolved = await resolveChoices(parsed, process.env[WORKER] === undefined ? consoleLog : quietLog);
  const { choices } = resolved;
  if (choices.pdb === true) consoleLog.info("--pdb: to debug, run node --inspect instead");
  if (choices.get === undefined) refuseWithoutGet(choices);
  const isReloading = choices.reload === true && choices.get === undefined;
  const reload = isReloading ? await import("./reload.js") : null;
  if (reload !== null && !reload.isSupervised()) return reload.superviseReloads(resolved);
  const port = reload?.supervisedPort() ?? choices.port;
  const address = addressOf({ ...choices, ...(port !== undefined && { port }) });
  const workers = isReloading || choices.get !== undefined ? 1 : (choices.workers ?? 1);
  const role = workers > 1 ? await (await import("./workers/role.js")).roleOf() : null;
  if (role?.kind === "first") return role.supervise(choices, address, workers);
  const plugins = parsed["dev"] === true ? [(await import("./dev-refresh.js")).devRefresh] : [];
  const found = await choosePlugins(resolved);
  const own = choices.get === undefined ? await logFor(choices) : consoleLog;
  const log = role?.kind === "worker" ? role.startLog(own) : own;
  const chosen = await serverOptions(resolved, found, log);
  const options = { ...chosen, plugins: [...chosen.plugins, ...plugins] };
  if (choices.get !== undefined) {
    const { answerOnce } = await import("./get.js");
    return answerOnce(options, choices, choices.get);
  }
  logUncaughtErrors(found.files, log);
  void sweepTemporaryFiles();
  if (role?.kind === "worker") return role.serve(options, address, choices);
  await serveUntilSignal(options, address, { choices, log });
}

const RELOAD_GRACE_MS = 300;

function refuseWithoutGet(choices: PartialChoices): void {
  for (const name of ["token", "actor", "headers"] as const) {
    if (choices[name] !== undefined) throw new StartupError(`--${name} can only be used with --get`);
  }
}

async function printSettings(parsed: Parsed): Promise<void> {
  const shared = ["config", "no-config", "plugins-dir"].filter((name) => Object.hasOwn(parsed, name));
  const only = Object.fromEntries(shared.map((name) => [name, parsed[name]]));
  const { declaredSettings } = await import("rowhouse");
  const { describeSettings } = await import("./settings.js");
  const { plugins } = await choosePlugins(await resolveChoices(only, consoleLog));
  const declared = declaredSettings(plugins.map(({ plugin }) => plugin));
  process.stdout.write(`${describeSettings(declared.values())}\n`);
}

async function serveUntilSignal(
  options: KernelOptions,
  address: Address,
  { choices, log }: { readonly choices: PartialChoices; readonly log: Log },
): Promise<void> {
  await ensureFree(address);
  const kernel = await openKernel(options);
  const server = await startServer(kernel, address);
  // Before the address is printed: a program that reads the line may send a signal at once.
  const stopped = stopSignal();
  // After the start, so that an error of the start is the only message.
  warnAboutSecret(choices.secret, log);
  const root = rootUrl(kernel, server);
  if (root !== null) process.stdout.write(`${root}\n`);
  log.info(`Rowhouse running on ${server.url} (Press CTRL+C to quit)`);
  if (choices.open === true) {
    const { firstPage, openBrowser } = await import("./open-browser.js");
    openBrowser(root ?? `${server.url}${await firstPage(kernel)}`);
  }
  await stopped;
  // During development the server does not wait for open connections.
  const graceMs = choices.reload === true ? RELOAD_GRACE_MS : kernel.setting("shutdown_grace_ms");
  await stopServer(kernel, [server], graceMs);
}

const stopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
  });
