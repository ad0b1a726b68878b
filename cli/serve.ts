import type { KernelOptions, Server } from "rowhouse";
import { StartupError, type Log, type Rowhouse } from "rowhouse/plugin-api";
import { addressError, addressOf, ensureFree, type Address } from "./address.js";
import type { Parsed } from "./arguments.js";
import type { PartialChoices } from "./choices.js";
import { consoleLog } from "./console-log.js";
import { choosePlugins, serverOptions } from "./kernel-options.js";
import { resolveChoices } from "./resolve.js";
import { warnAboutSecret } from "./secret.js";
import { logUncaughtErrors } from "./uncaught-errors.js";
import { sweepTemporaryFiles } from "./temporary-files.js";

/**
 * The command `serve`: prints one reply with `--get`, otherwise serves until a signal ends it.
 *
 * @throws StartupError if it cannot start
 */
export async function serve(parsed: Parsed): Promise<void> {
  if (parsed["help-settings"] === true) return printSettings(parsed);
  const resolved = await resolveChoices(parsed, consoleLog);
  const { choices } = resolved;
  if (choices.pdb === true) consoleLog.info("--pdb: to debug, run node --inspect instead");
  if (choices.get === undefined) refuseWithoutGet(choices);
  const isReloading = choices.reload === true && choices.get === undefined;
  const reload = isReloading ? await import("./reload.js") : null;
  if (reload !== null && !reload.isSupervised()) return reload.superviseReloads(resolved);
  const port = reload?.supervisedPort() ?? choices.port;
  const address = addressOf({ ...choices, ...(port !== undefined && { port }) });
  const plugins = parsed["dev"] === true ? [(await import("./dev-refresh.js")).devRefresh] : [];
  const found = await choosePlugins(resolved);
  const log = choices.get === undefined ? await logFor(choices) : consoleLog;
  const chosen = await serverOptions(resolved, found, log);
  const options = { ...chosen, plugins: [...chosen.plugins, ...plugins] };
  if (choices.get !== undefined) {
    const { answerOnce } = await import("./get.js");
    return answerOnce(options, choices, choices.get);
  }
  logUncaughtErrors(found.files, log);
  void sweepTemporaryFiles();
  await serveUntilSignal(options, address, { choices, log });
}

async function logFor({ logFormat, logLevel, quiet, secret }: PartialChoices): Promise<Log> {
  const { serverLog } = await import("./log/server-log.js");
  const level = logLevel ?? (quiet === true ? "warn" : "info");
  return serverLog({ format: logFormat ?? "text", level, secrets: secret ?? [] });
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
  const { kernel, server } = await startServer(options, address);
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
  endAfter(Math.max(graceMs, LEAST_GRACE_MS), log);
  // Closing the connections interrupts their statements. The databases then still have time to close.
  await server.close(graceMs * CONNECTIONS_SHARE);
  await kernel.close();
}

const LEAST_GRACE_MS = 1_000;
const CONNECTIONS_SHARE = 0.8;

/**
 * Ends the process by SIGKILL if it is still running then. `process.exit` would wait for the threads of SQLite, and a
 * single SQL function can run for minutes.
 */
function endAfter(graceMs: number, log: Log): void {
  const timer = setTimeout(() => {
    log.error(`Still busy ${graceMs} ms after the signal to end: killed`);
    process.kill(process.pid, "SIGKILL");
  }, graceMs);
  timer.unref();
}

/**
 * Opens the kernel and listens.
 *
 * @throws StartupError if a plugin or a database fails, or the address is in use
 */
export async function startServer(options: KernelOptions, address: Address) {
  const { Kernel, listen } = await import("rowhouse");
  const kernel = await Kernel.open(options);
  try {
    return { kernel, server: await listen(kernel, address) };
  } catch (error) {
    await kernel.close();
    throw isSystemError(error) ? addressError(error, address) : error;
  }
}

/** The one-time login link; null without `--root`. */
function rootUrl(kernel: Rowhouse, server: Server): string | null {
  const path = kernel.serviceIfAny("login")?.rootUrlPath() ?? null;
  return path === null ? null : server.url + kernel.urls.path(path);
}

const stopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
  });

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && "syscall" in error;
