import { join } from "node:path";
import type { Database, Rowhouse } from "rowhouse/plugin-api";
import type { DatabaseLocation } from "rowhouse/plugin-api/engine";
import sqlite from "../../../plugins/sqlite/index.js";
import { temporaryFolder } from "../../harness/folders.js";
import { closeWhenDone } from "../../harness/lifetimes.js";
import { buildDatabase } from "../../harness/raw-sqlite.js";

/** What a spec may set when it opens a database without a kernel around it. */
export interface SqliteOptions extends Partial<DatabaseLocation> {
  readonly settings?: Readonly<Record<string, number | string>>;
  readonly loadExtension?: readonly string[];
  readonly prepareConnection?: (sqlite: { exec(sql: string): Promise<void> }) => Promise<void>;
}

// Nothing ends for want of time, on the slowest machine, unless a spec sets a limit.
const HOUR_MS = 3_600_000;

/** A database of the engine alone; closed after the test. */
export async function openSqlite(uri: string, options: SqliteOptions = {}): Promise<Database> {
  const { settings, loadExtension, prepareConnection, ...location } = options;
  const given: Readonly<Record<string, number | string>> = {
    sql_time_limit_ms: HOUR_MS,
    num_sql_threads: 3,
    cache_size_kb: 0,
    lock_wait_ms: 60_000,
    sql_isolation: "process",
    num_sql_processes: 3,
    sql_process_memory_mb: 512,
    ...settings,
  };
  const rowhouse = {
    setting: (name: string) => given[name],
    option: () => loadExtension,
    hooks: {
      prepare_connection: {
        promise: async (_: unknown, { connection }: { connection: { exec(sql: string): Promise<void> } }) =>
          prepareConnection?.(connection),
      },
    },
  } as unknown as Rowhouse;
  const hook = sqlite.open_database;
  if (typeof hook !== "function") throw new Error("The sqlite plugin opens no databases");
  const database = await hook(rowhouse, { location: { name: "library", mutable: true, ...location, uri } });
  if (!database) throw new Error(`The sqlite plugin did not open ${uri}`);
  closeWhenDone(database);
  return database;
}

/** The path of a file that does not exist yet, in a folder of its own. */
export async function freshPath(name = "library.db"): Promise<string> {
  return join(temporaryFolder(), name);
}

/** A new file made by `script`, opened through the engine. */
export async function sqliteFile(
  script: string,
  options: SqliteOptions = {},
): Promise<{ readonly path: string; readonly database: Database }> {
  const path = await freshPath();
  await buildDatabase(path, script);
  return { path, database: await openSqlite(`file:${path}`, options) };
}
