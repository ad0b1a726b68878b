import cluster from "node:cluster";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { RateLimiterClusterMaster } from "rate-limiter-flexible";
import type { Log } from "rowhouse/plugin-api";
import { lastingPort, type Address } from "../configuration/address.js";
import type { PartialChoices } from "../arguments/choices.js";
import { logFor } from "../configuration/log-for.js";
import { warnAboutFixedChoices } from "../configuration/needs-restart.js";
import { requireShortPath } from "../configuration/unix-socket.js";
import { PidFile } from "../serve/pid-file.js";
import { Reloader } from "../serve/reloader.js";
import { secretsAfter, signingSecrets, warnAboutSecret } from "../configuration/secret.js";
import { listenToSignals } from "../serve/signals.js";
import { makeSocketFolder } from "../serve/temporary-files.js";
import type { Ready } from "./messages.js";
import { Workers } from "./workers.js";

/** What the first process needs to start and reload workers. */
export interface Supervision {
  readonly choices: PartialChoices;
  /** The configuration file that was read, if there is one. */
  readonly configFile: string | null;
  readonly address: Address;
  /** How many workers there are. */
  readonly count: number;
  /** Reads the configuration again. */
  readonly choicesAgain: () => Promise<PartialChoices>;
}

/**
 * Starts workers on one address and replaces those that end, until a signal ends all of them.
 *
 * One worker performs all writes, so that concurrent writes still share commits. If it ends, another one takes its
 * place at once.
 *
 * @throws StartupError if the address is in use
 */
export async function supervise(supervision: Supervision): Promise<void> {
  const { choices, configFile, address, count } = supervision;
  const port = await lastingPort(address);
  const pidFile = PidFile.write(choices.pidFile);
  // Only this user can enter the folder, so only workers can reach the socket.
  const folder = await makeSocketFolder();
  const socketPath = join(folder, "writer");
  try {
    requireShortPath(socketPath);
    const log = await logFor(choices);
    const secrets = signingSecrets(choices.secret);
    // As JSON, a metric that is no number or infinite would arrive as null.
    cluster.setupPrimary({ serialization: "advanced" });
    const workers = new Workers({ secrets, socketPath, port }, configFile, log);
    const signals = listenToSignals();
    // Limiters of workers have their counts in this process, so that they share them.
    void new RateLimiterClusterMaster();
    const first = await workers.start({ logsStart: true });
    if (typeof first === "number") return void (process.exitCode = first || 1);
    await Promise.all(Array.from({ length: count - 1 }, () => workers.start({ logsStart: false })));
    workers.replaceEnded(count);
    log.info(`${count} workers`);
    await announce(first, choices, log);
    const reloader = new Reloader(reloading(workers, supervision), { log, report: pidFile.report });
    signals.onReload(() => reloader.request());
    await signals.stopped;
    await reloader.end(first.graceMs / 2);
    await workers.stop(first.graceMs);
  } finally {
    await rm(folder, { recursive: true, force: true });
    pidFile.remove();
  }
}

/** Returns a function that reloads all workers once. */
function reloading(workers: Workers, { choices, choicesAgain }: Supervision): () => Promise<Log> {
  return async () => {
    const next = await choicesAgain();
    const { root } = await workers.reload(secretsAfter(workers.secrets, next.secret));
    const log = await logFor(next);
    workers.log = log;
    warnAboutFixedChoices(choices, next, log);
    if (root !== null) process.stdout.write(`${root}\n`);
    return log;
  };
}

async function announce({ root, url, firstPage }: Ready, choices: PartialChoices, log: Log): Promise<void> {
  warnAboutSecret(choices.secret, log);
  if (root !== null) process.stdout.write(`${root}\n`);
  log.info(`Rowhouse running on ${url} (Press CTRL+C to quit)`);
  if (firstPage === null) return;
  const { openBrowser } = await import("../serve/open-browser.js");
  openBrowser(root ?? `${url}${firstPage}`);
}
