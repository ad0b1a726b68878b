import { open, stat } from "node:fs/promises";
import { StartupError } from "rowhouse/plugin-api";
import type { CopyOptions, DatabaseBackup } from "rowhouse/plugin-api/engine";
import { DatabaseUnavailable } from "rowhouse/plugin-api/errors";
import { Connection } from "../open/connection.js";
import { asRowhouseError } from "../open/errors.js";
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
  copyTo: (path, options = {}) => copyFile(plan, path, options).catch(rethrow),
  restoreFrom: (path) => restoreFile(plan, path).catch(rethrow),
});

function rethrow(error: unknown): never {
  throw asRowhouseError(error);
}

async function copyFile(plan: DatabasePlan, path: string, options: CopyOptions): Promise<void> {
  await requireMissing(path);
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
  await requireSound(path);
}

async function restoreFile(plan: DatabasePlan, path: string): Promise<void> {
  await requireSound(path);
  const connection = await openWriter(plan);
  try {
    await connection.replaceBy(path, stepsUnderLock({ lockWaitMs: lockWait(plan) }));
  } finally {
    await connection.close();
  }
}

/** SQLite would replace the content of an existing file. */
async function requireMissing(path: string): Promise<void> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  if (exists) throw new StartupError(`The file ${path} exists`);
}

interface Layout {
  readonly pageSize: number;
  readonly isWal: boolean;
}

async function layoutOf(connection: Connection): Promise<Layout> {
  const [mode] = await connection.once<{ journal_mode: string }>({ sql: "pragma journal_mode", values: [] });
  const [page] = await connection.once<{ page_size: number }>({ sql: "pragma page_size", values: [] });
  return { pageSize: page?.page_size ?? 4096, isWal: mode?.journal_mode === "wal" };
}

async function pinSnapshot(connection: Connection): Promise<void> {
  await connection.exec("begin");
  // The transaction has its state from the first read on.
  await connection.all({ sql: "select count(*) from sqlite_schema", values: [] });
}

async function flush(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** @throws DatabaseUnavailable if SQLite finds a fault in the file */
async function requireSound(path: string): Promise<void> {
  // Immutable: a copy of a database with a write-ahead log is read without creating one.
  const connection = await Connection.open(`${fileUri(path)}?immutable=1`, "read-only");
  try {
    const rows = await connection.once<{ integrity_check: string }>({
      sql: "pragma integrity_check",
      values: [],
    });
    const [first] = rows;
    if (rows.length !== 1 || first?.integrity_check !== "ok")
      throw new DatabaseUnavailable(`The copy is damaged: ${first?.integrity_check ?? "it can't be read"}`);
  } finally {
    await connection.close();
  }
}
