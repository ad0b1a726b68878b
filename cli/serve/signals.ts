import { isatty } from "node:tty";

const STANDARD_ERROR = 2;

/** The signals of an operator to a server. */
export interface ServerSignals {
  /** Settles with SIGINT and SIGTERM, and if the terminal of the server is closed. */
  readonly stopped: Promise<void>;
  /** Calls the function for each SIGHUP, also for one that came before. */
  onReload(reload: () => void): void;
}

let isReloadWanted = false;
const noteReload = (): void => void (isReloadWanted = true);

/**
 * Notes SIGHUP during the start, for `listenToSignals`. Without a listener it would end the process, which systemd takes
 * for success and does not start again.
 */
export function noteEarlyReload(): void {
  if (!isatty(STANDARD_ERROR)) process.on("SIGHUP", noteReload);
}

/**
 * Listens to signals. SIGHUP requests a reload. A terminal that closes sends SIGHUP too: then a server that was started
 * in it ends.
 */
export function listenToSignals(): ServerSignals {
  const hadTerminal = isatty(STANDARD_ERROR);
  let reload: (() => void) | null = null;
  process.off("SIGHUP", noteReload);
  const stopped = new Promise<void>((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
    process.on("SIGHUP", () => {
      if (hadTerminal && !isatty(STANDARD_ERROR)) resolve();
      else if (reload === null) noteReload();
      else reload();
    });
  });
  return {
    stopped,
    onReload(wanted) {
      reload = wanted;
      if (isReloadWanted) wanted();
    },
  };
}
