import { open, stat } from "node:fs/promises";
import { messageOf, StartupError } from "rowhouse/plugin-api";
import type { CopyOptions, DatabaseBackup } from "rowhouse/plugin-api/engine";
import { DatabaseUnavailable } from "rowhouse/plugin-api/errors";
import { Connection } from "../open/connection.js";
import { asRowhouseError, throwRowhouseError } from "../open/errors.js";
import {
  fileUri,
  openForCopy,
  openWriter,
  withJournalRecovery,
  type DatabasePlan,
} from "../open/open-connection.js";
import { lockWait, pacedSteps, stepsUnderLock } from "./steps.js";

/** Copies and restores the file of a database with SQLite's online backup. */
export const fileBackup = (plan: DatabasePlan): DatabaseBackup => ({
  copyTo: (path, options = {}) => copyFile(plan, path, options).catch(throwRowhouseError),
  restoreFrom: (path) => restoreFile(plan, path).catch(throwRowhouseError),
});

async function copyFile(plan: DatabasePlan, path: string, options: CopyOptions): Promise<void> {
  await createCopy(path, plan.path);
  const connection = await openForCopy(plan);
  try {
    const { pageSize, isWal } = await withJournalRecovery(plan, () => layoutOf(connection));
    // With a write-ahead log, an open read transaction keeps one state and hinders no writer. Without one, it would
    // keep writers from committing: the copy begins again when another connection writes.
    if (isWal) await pinSnapshot(connection);
    await connection.copyTo(path, pacedSteps({ ...options, pageSize, lockWaitMs: lockWait(plan) }));
  } finally {
    await connection.close();
  }
  await flush(path);
  await requireSound(path, `The copy of ${plan.location.name}`);
}

async function restoreFile(plan: DatabasePlan, path: string): Promise<void> {
  await requireSound(path, path);
  const connection = await openWriter(plan);
  try {
    await connection.replaceBy(path, stepsUnderLock({ lockWaitMs: lockWait(plan) }));
  } finally {
    await connection.close();
  }
}

/**
 * Creates the file of a copy, which only those can read who can read the original. SQLite would let all users read it.
 *
 * @param original null for a database in memory
 * @throws StartupError if the file exists: SQLite would replace its content
 */
async function createCopy(path: string, original: string | null): Promise<void> {
  const mode = original === null ? 0o600 : ((await stat(original)).mode & 0o666) | 0o600;
  try {
    await (await open(path, "wx", mode)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new StartupError(`The file ${path} exists`, 1, { cause: error });
  }
}

interface Layout {
  readonly pageSize: number;
  readonly isWal: boolean;
}

async function layoutOf(connection: Connection): Promise<Layout> {
  const [mode] = await connection.once<{ journal_mode: string }>({ sql: "pragma journal_mode" });
  const [page] = await connection.once<{ page_size: number }>({ sql: "pragma page_size" });
  return { pageSize: page?.page_size ?? 4096, isWal: mode?.journal_mode === "wal" };
}

async function pinSnapshot(connection: Connection): Promise<void> {
  await connection.exec("begin");
  // The transaction has its state from the first read on.
  await connection.all({ sql: "select count(*) from sqlite_schema" });
}

async function flush(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * @param name what the error calls the file
 * @throws DatabaseUnavailable if SQLite finds a fault in the file. SQLite accepts a file without bytes as a database
 * without tables, but a backup has at least one page.
 */
async function requireSound(path: string, name: string): Promise<void> {
  if ((await stat(path)).size === 0) throw new DatabaseUnavailable(`${name} is empty`);
  const fault = await faultOf(path).catch((error: unknown) => {
    throw new DatabaseUnavailable(`${name}: ${messageOf(asRowhouseError(error))}`, { cause: error });
  });
  if (fault !== "ok") throw new DatabaseUnavailable(`${name} is damaged: ${fault}`);
}

/** What SQLite finds first; `ok` for a file without faults. */
async function faultOf(path: string): Promise<string> {
  // Immutable: a copy of a database with a write-ahead log is read without creating one.
  const connection = await Connection.open(`${fileUri(path)}?immutable=1`, "read-only");
  try {
    const [first] = await connection.once<{ integrity_check: string }>({ sql: "pragma integrity_check" });
    // SQLite reads a last page that is cut as if the rest of it were zeros.
    const { pageSize } = await layoutOf(connection);
    if ((await stat(path)).size % pageSize !== 0) return "its end is missing";
    return first?.integrity_check ?? "it can't be read";
  } finally {
    await connection.close();
  }
}
