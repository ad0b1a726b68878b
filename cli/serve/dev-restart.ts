import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { addressOf, lastingPort, type Address } from "../configuration/address.js";
import type { PartialChoices } from "../arguments/choices.js";
import { consoleLog } from "../log/console-log.js";
import type { Resolved } from "../configuration/resolve.js";
import { listenToSignals } from "./signals.js";
import { FileWatcher } from "./watch-list.js";

const SUPERVISED_VARIABLE = "ROWHOUSE_SUPERVISED";
/** The address of the first start, as choices. */
const ADDRESS_VARIABLE = "ROWHOUSE_DEV_ADDRESS";
const QUIET_MS = 150;
/** By itself, the process that serves ends a second after the signal at the latest. */
const CHILD_LIMIT_MS = 2_000;

/** True in the process that serves, which a watching process started. */
export const isSupervised = (): boolean => process.env[SUPERVISED_VARIABLE] !== undefined;

/** Ends this process with the watching one, also if that is killed. Further calls change nothing. */
export function endWithSupervisor(): void {
  if (process.listenerCount("disconnect") > 0) return;
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel?.unref();
}

/** The port that the watching process chose, so that it is the same after each restart. */
export const supervisedPort = (): number | null => Number(process.env[SUPERVISED_VARIABLE]) || null;

/**
 * The address of the first start, even if the configuration can no longer be read; null without a watching process.
 */
export function supervisedAddress(): Address | null {
  const written = process.env[ADDRESS_VARIABLE];
  return written === undefined ? null : addressOf(JSON.parse(written) as PartialChoices);
}

/**
 * Serves in a child process, which is restarted when one of its files changes, or by SIGHUP.
 *
 * @param resolveAgain reads the configuration, which may name other files after a change
 */
export async function superviseReloads(
  resolved: Resolved,
  resolveAgain: () => Promise<Resolved>,
): Promise<void> {
  const signals = listenToSignals();
  const environment = await lastingEnvironment(resolved);
  let child = startChild(environment);
  let restarting: Promise<void> | null = null;
  let read = resolved;
  const restart = async (): Promise<void> => {
    consoleLog.info("Something changed: starting again");
    // With a mistake in the configuration, the files that it named before are watched.
    read = await resolveAgain().catch(() => read);
    files.watch(read);
    await ended(child);
    child = startChild(environment);
    restarting = null;
  };
  let timer: NodeJS.Timeout | undefined;
  const changed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => (restarting ??= restart()), QUIET_MS);
  };
  const files = new FileWatcher(changed);
  files.watch(read);
  signals.onReload(changed);
  await signals.stopped;
  clearTimeout(timer);
  files.close();
  await restarting;
  await ended(child);
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Values that would be random at each start and must not change between restarts. */
async function lastingEnvironment({ choices }: Resolved): Promise<Environment> {
  const { host, uds, sslKeyfile, sslCertfile } = choices;
  const isAnyPort = choices.port === 0 && uds === undefined;
  const port = isAnyPort ? await lastingPort({ host: host ?? "127.0.0.1", port: 0 }) : 0;
  const secret = choices.secret === undefined ? { ROWHOUSE_SECRET: randomBytes(32).toString("hex") } : {};
  const address = { host, port: port === 0 ? choices.port : port, uds, sslKeyfile, sslCertfile };
  return {
    ...process.env,
    ...secret,
    [SUPERVISED_VARIABLE]: String(port),
    [ADDRESS_VARIABLE]: JSON.stringify(address),
  };
}

const startChild = (environment: Environment): ChildProcess =>
  spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: environment as NodeJS.ProcessEnv,
  });

/** A child that failed to start has ended already. It is started again after the next change. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once("exit", done));
  child.kill("SIGTERM");
  // In an endless loop, such as one of a plugin, it does not receive the signal.
  const timer = setTimeout(() => child.kill("SIGKILL"), CHILD_LIMIT_MS);
  await gone;
  clearTimeout(timer);
}
