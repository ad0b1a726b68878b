import { StartupError, definePlugin, type Database, type Rowhouse } from "rowhouse/plugin-api";
import { bundledHooks, bundledSettings } from "rowhouse/plugin-api/contracts";
import type { DatabaseLocation } from "rowhouse/plugin-api/engine";
import { open, stat } from "node:fs/promises";
import { SqliteDatabase } from "./database.js";
import { checkFile } from "./open/check-file.js";
import { limitStatementCaches } from "./sql/statement-caches.js";
import { createFile, planFor } from "./open/open-connection.js";

/** Opens SQLite files and databases in memory. Only this folder uses the driver, npm `sqlite3`. */
export default definePlugin({
  name: "sqlite",
  deterministic: true,
  unguarded: true,
  hooks: bundledHooks.sqlite,
  settings: bundledSettings.sqlite,
  setup: (rowhouse) => limitStatementCaches(rowhouse.setting("statement_cache_kb") * 1024),
  open_database: (rowhouse, { location }) => openSqlite(rowhouse, location),
});

async function openSqlite(rowhouse: Rowhouse, location: DatabaseLocation): Promise<Database | null> {
  if (!location.uri.includes(":"))
    throw new StartupError(
      `${location.uri} has no scheme: write file:, followed by the absolute path of a file`,
    );
  if (!/^(file|memory):/.test(location.uri)) return null;
  const plan = planFor(rowhouse, location);
  if (location.create === true) await createMissing(rowhouse, location);
  const database = new SqliteDatabase(plan);
  if (plan.path === null) await database.openWriter();
  await checkFile(plan);
  if (!location.mutable && plan.path !== null) await warnAboutLog(rowhouse, location, plan.path);
  await database.describe();
  return database;
}

/** SQLite reads an immutable file without its write-ahead log, and without undoing a write that was interrupted. */
async function warnAboutLog(rowhouse: Rowhouse, location: DatabaseLocation, path: string): Promise<void> {
  const shown = location.shownPath ?? path;
  if (await isInUse(`${path}-wal`))
    rowhouse.log.warn(
      `${shown}-wal has changes that are not read, because the file is opened as immutable. To move them into the file, run: sqlite3 ${shown} 'pragma wal_checkpoint(truncate)'`,
    );
  if (await isInUse(`${path}-journal`))
    rowhouse.log.warn(
      `${shown}-journal belongs to a write that was interrupted. It is not undone, because the file is opened as immutable. To undo it, run: sqlite3 ${shown} 'pragma schema_version'`,
    );
}

/** SQLite empties a journal that it no longer needs, or fills its beginning with zeros. */
async function isInUse(journal: string): Promise<boolean> {
  if (await isMissing(journal)) return false;
  const file = await open(journal, "r");
  try {
    const { buffer } = await file.read(Buffer.alloc(1));
    return buffer[0] !== 0;
  } finally {
    await file.close();
  }
}

/** Creates the missing files of a location: its own, and those that it attaches. */
async function createMissing(rowhouse: Rowhouse, location: DatabaseLocation): Promise<void> {
  const attached = (location.attach ?? []).map(({ name, path }) => ({
    name,
    uri: `file:${path}`,
    mutable: true,
  }));
  for (const plan of [location, ...attached].map((one) => planFor(rowhouse, one))) {
    if (plan.path !== null && (await isMissing(plan.path))) await createFile(plan);
  }
}

const isMissing = (path: string): Promise<boolean> =>
  stat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return true;
      throw new StartupError(`Could not read ${path}: ${error.message}`, 1, { cause: error });
    },
  );
