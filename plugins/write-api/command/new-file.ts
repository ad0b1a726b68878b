import { existsSync, rmSync } from "node:fs";
import { isDatabaseAddress } from "rowhouse/plugin-api/engine";

/** The file of a database that the command is about to create. */
interface NewFile {
  /** The file is complete, and stays. */
  keep(): void;
  /** Removes the file unless it is kept. Call this after the database is closed. */
  discard(): void;
}

/**
 * Watches over a file that the command creates: SIGINT and SIGTERM remove it before they end the process, until it is kept
 * or discarded. Files that exist, and addresses, are left alone.
 *
 * @param source a path or an address
 */
export function newFile(source: string): NewFile {
  if (isDatabaseAddress(source) || existsSync(source)) return { keep: ignored, discard: ignored };
  let isPartial = true;
  const keep = (): void => {
    isPartial = false;
    process.off("SIGINT", end).off("SIGTERM", end);
  };
  const discard = (): void => {
    if (!isPartial) return;
    keep();
    // SQLite may have files beside it.
    for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(source + suffix, { force: true });
  };
  const end = (signal: NodeJS.Signals): void => {
    discard();
    process.kill(process.pid, signal);
  };
  process.once("SIGINT", end).once("SIGTERM", end);
  return { keep, discard };
}

const ignored = (): void => undefined;
