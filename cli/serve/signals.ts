import { isatty } from "node:tty";

const STANDARD_ERROR = 2;

/** The signals of an operator to a server. */
export interface ServerSignals {
  /** Settles with SIGINT and SIGTERM, and if the terminal of the server is closed. */
  readonly stopped: Promise<void>;
  /** Calls the function for each SIGHUP, also for one that came before. */
  onReload(reload: () => void): void;
}

/**
 * Listens to signals. SIGHUP requests a reload. A terminal that closes sends SIGHUP too: then a server that was started
 * in it ends.
 */
export function listenToSignals(): ServerSignals {
  const hadTerminal = isatty(STANDARD_ERROR);
  let reload: (() => void) | null = null;
  let isReloadWanted = false;
  const stopped = new Promise<void>((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
    process.on("SIGHUP", () => {
      if (hadTerminal && !isatty(STANDARD_ERROR)) resolve();
      else if (reload === null) isReloadWanted = true;
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
