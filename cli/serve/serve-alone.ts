import type { Log } from "rowhouse/plugin-api";
import { addressOf, ensureFree, type Address } from "../configuration/address.js";
import type { PartialChoices } from "../arguments/choices.js";
import { warnAboutFixedChoices } from "../configuration/needs-restart.js";
import { PidFile } from "./pid-file.js";
import type { Start } from "../configuration/read-start.js";
import { Reloader } from "./reloader.js";
import { RunningServer } from "./running-server.js";
import { secretsAfter, warnAboutSecret } from "../configuration/secret.js";
import { listenToSignals } from "./signals.js";

// During development the server does not wait for open connections.
const DEVELOPMENT_GRACE_MS = 300;

/**
 * Serves in this process, until a signal ends it.
 *
 * @param readAgain what a reload reads
 */
export async function serveAlone(
  start: Start,
  address: Address,
  readAgain: (log: Log) => Promise<Start>,
): Promise<void> {
  const { choices, log } = start;
  await ensureFree(address);
  const pidFile = PidFile.write(choices.pidFile);
  try {
    // Before the address is printed: a program that reads the line may send a signal at once.
    const signals = listenToSignals();
    const running = await RunningServer.open(start, address, { writes: () => true });
    // After the start, so that an error of the start is the only message.
    warnAboutSecret(choices.secret, log);
    printRootUrl(running.rootUrl);
    log.info(`Rowhouse running on ${running.url} (Press CTRL+C to quit)`);
    if (choices.open === true) await open(running);
    const reloader = new Reloader(reloading(running, start, readAgain), { log, report: pidFile.report });
    signals.onReload(() => reloader.request());
    await signals.stopped;
    const graceMs =
      choices.reload === true ? DEVELOPMENT_GRACE_MS : running.kernel.setting("shutdown_grace_ms");
    await reloader.end(graceMs / 2);
    await running.stop(graceMs);
  } finally {
    pidFile.remove();
  }
}

/** Returns a function that reloads once. Without a given secret, the one of the start remains. */
function reloading(
  running: RunningServer,
  start: Start,
  readAgain: (log: Log) => Promise<Start>,
): () => Promise<Log> {
  let { log } = start;
  let { secrets } = start.options;
  return async () => {
    const root = running.rootUrl;
    const next = await readAgain(log);
    const { choices, options } = next;
    secrets = secretsAfter(secrets, choices.secret);
    await running.reload({ ...next, options: { ...options, secrets } }, tlsOf(choices));
    log = next.log;
    warnAboutFixedChoices(start.choices, choices, log);
    if (running.rootUrl !== root) printRootUrl(running.rootUrl);
    return log;
  };
}

/** The key and the certificate, which may have been renewed. */
export const tlsOf = (choices: PartialChoices): Address["tls"] => addressOf(choices).tls;

function printRootUrl(url: string | null): void {
  if (url !== null) process.stdout.write(`${url}\n`);
}

async function open({ kernel, rootUrl, url }: RunningServer): Promise<void> {
  const { firstPage, openBrowser } = await import("./open-browser.js");
  openBrowser(rootUrl ?? `${url}${await firstPage(kernel)}`);
}
