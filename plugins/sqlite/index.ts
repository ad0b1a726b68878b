import {
  StartupError,
  bundledHooks,
  definePlugin,
  type Database,
  type DatabaseLocation,
  type Rowhouse,
} from "rowhouse/plugin-api";
import { stat } from "node:fs/promises";
import { SqliteDatabase } from "./database.js";
import { checkFile, createFile, planFor } from "./open/open-connection.js";

const atLeast = (minimum: number) => (value: unknown) =>
  typeof value === "number" && value >= minimum ? null : `must be at least ${minimum}`;

/** Opens SQLite files and databases in memory. Only this folder knows the driver, npm `sqlite3`. */
export default definePlugin({
  name: "sqlite",
  deterministic: true,
  unguarded: true,
  hooks: bundledHooks.sqlite,
  settings: [
    {
      name: "sql_time_limit_ms",
      default: 1000,
      help: "Time limit for a SQL query in milliseconds",
      check: atLeast(1),
    },
    {
      name: "num_sql_threads",
      default: 3,
      help: "Number of threads in the thread pool for executing SQLite queries",
      check: atLeast(0),
    },
    {
      name: "cache_size_kb",
      default: 0,
      help: "SQLite cache size in KB (0 == use SQLite default)",
      check: atLeast(0),
    },
    {
      name: "sql_isolation",
      default: "process",
      help: "Where SQL that callers write runs: process (can be killed) or thread",
      check: (value) =>
        value === "process" || value === "thread" ? null : '"sql_isolation" should be process or thread',
      unlisted: true,
    },
    {
      name: "num_sql_processes",
      default: 3,
      help: "Number of processes for SQL that callers write",
      check: atLeast(1),
      unlisted: true,
    },
    {
      name: "sql_process_memory_mb",
      default: 512,
      help: "Memory that each of these processes may use, in MiB",
      check: atLeast(128),
      unlisted: true,
    },
    {
      name: "lock_wait_ms",
      default: 5000,
      help: "How long a write waits for another program's lock, in milliseconds",
      unlisted: true,
    },
  ],
  open_database: (rowhouse, { location }) => openSqlite(rowhouse, location),
});

async function openSqlite(rowhouse: Rowhouse, location: DatabaseLocation): Promise<Database | null> {
  if (!/^(file|memory):/.test(location.uri)) return null;
  const plan = planFor(rowhouse, location);
  if (location.create === true) await createMissing(rowhouse, location);
  const database = new SqliteDatabase(plan);
  if (plan.path === null) await database.anchor();
  await checkFile(plan);
  await database.describe();
  return database;
}

/** The file of a location, and those that are attached to it, which are opened after it. */
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
