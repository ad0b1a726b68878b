import { chmod, rm, stat } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { messageOf, quoteIdentifier, StartupError, type Rowhouse } from "rowhouse/plugin-api";
import type { SqlConnection } from "rowhouse/plugin-api/contracts";
import type { DatabaseLocation } from "rowhouse/plugin-api/engine";
import { keepOverReloads } from "rowhouse/plugin-api/kernel";
import { Connection, type OpenMode } from "./connection.js";
import { bareMessage, isBusy, isReadOnly } from "./errors.js";
import type { TemporaryStore } from "./temporary-files.js";
import { retryWhileBusy } from "./time-limit.js";

/** How the connections of a database are opened. Everything except `prepare` can be sent to another process. */
export interface ConnectionPlan {
  readonly location: DatabaseLocation;
  /** The URI for SQLite, without its query. */
  readonly base: string;
  readonly path: string | null;
  /** 0 for the default. */
  readonly cacheSizeKb: number;
  /** Beyond this SQLite reports that it is out of memory. The limit applies to the whole process. */
  readonly heapLimitBytes: number;
  /** SQLite extensions that each connection loads, as `path` or `path:entrypoint`. */
  readonly loadExtensions: readonly string[];
  /** Lets plugins prepare each connection before its first statement. */
  readonly prepare: (connection: SqlConnection) => Promise<void>;
}

/** The plan of a database, and the instance that serves it. */
export interface DatabasePlan extends ConnectionPlan {
  readonly rowhouse: Rowhouse;
}

/** The longest text, blob or row, in bytes. A JavaScript string cannot be longer than about 500 MB. */
export const MAX_LENGTH = { untrusted: 50_000_000, trusted: 400_000_000 } as const;
// Includes the SQL around an untrusted statement, which is long if the statement has thousands of columns.
const MAX_WRAPPED_STATEMENT = 4_000_000;
/** KiB of changed pages that a transaction keeps in memory before it writes them to the file. */
const CACHE_SPILL_KIB = 65_536;
/**
 * A comparison takes the time of pattern and text multiplied, and SQLite does not interrupt it. All writes wait for the
 * writing connection, so a statement with a time limit may use shorter patterns there.
 */
export const LIKE_PATTERN_BYTES = { usual: 1_000, timedWrite: 100 } as const;
/** For the whole process. It bounds, for example, the memory of a sort. */
const HEAP_LIMIT_BYTES = 1_073_741_824;
// SQLite blocks a thread while it waits for a lock. So it waits briefly, and `retryWhileBusy` waits without a thread.
const BUSY_TIMEOUT_MS = 100;

let memoryDatabases = 0;

/**
 * Plans the connections of a location. Each `memory:` location is a database of its own, except after a reload: the next
 * kernel opens the same database before the first one closes it, so its content remains.
 */
export function planFor(rowhouse: Rowhouse, location: DatabaseLocation): DatabasePlan {
  return {
    ...targetOf(rowhouse, location),
    rowhouse,
    location,
    cacheSizeKb: rowhouse.setting("cache_size_kb"),
    heapLimitBytes: HEAP_LIMIT_BYTES,
    loadExtensions: rowhouse.option("loadExtension") ?? [],
    prepare: (connection) =>
      rowhouse.hooks.prepare_connection.promise(rowhouse, { database: location.name, connection }),
  };
}

function targetOf(
  rowhouse: Rowhouse,
  { uri, name }: DatabaseLocation,
): Pick<ConnectionPlan, "base" | "path"> {
  if (uri.startsWith("memory:")) {
    const base = keepOverReloads(rowhouse, `sqlite: memory database ${name}`, nextMemoryUri);
    return { base, path: null };
  }
  const path = filePath(uri);
  return { base: fileUri(path), path };
}

function nextMemoryUri(): string {
  memoryDatabases += 1;
  return `file:/rowhouse-${process.pid}-${memoryDatabases}`;
}

// A file that is attached to a database in memory needs the VFS of files, because the VFS of the database is the default.
const FILE_VFS = process.platform === "win32" ? "win32" : "unix";

/** A path as a URI for SQLite, without its query. */
export const fileUri = (path: string): string => pathToFileURL(path).href.replace(/^file:\/\//, "file:");

const filePath = (uri: string): string =>
  uri.startsWith("file://") ? fileURLToPath(uri) : uri.slice("file:".length);

/** A read-only connection: for pages, and with more limits for untrusted SQL. */
export async function openReader(plan: ConnectionPlan, store: TemporaryStore): Promise<Connection> {
  const connection = await open(plan, "read-only");
  try {
    await attachOthers(connection, plan);
    connection.limit("attached", 0);
    connection.limit("sqlLength", MAX_WRAPPED_STATEMENT);
    connection.limit("likePatternLength", LIKE_PATTERN_BYTES.usual);
    await connection.exec(
      `pragma trusted_schema = off; pragma temp_store = ${store}; pragma query_only = on`,
    );
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** The writing connection. */
export async function openWriter(plan: ConnectionPlan): Promise<Connection> {
  const connection = await open(plan, plan.path === null ? "create" : "read-write");
  connection.limitLength(MAX_LENGTH.trusted);
  connection.limit("likePatternLength", LIKE_PATTERN_BYTES.usual);
  try {
    // A committed write survives a power failure, also if the commit is the deletion of a journal.
    await connection.exec("pragma synchronous = extra");
    // Without a write-ahead log, a page that is written before the commit blocks all readers.
    await connection.exec(`pragma cache_spill = -${CACHE_SPILL_KIB}`);
    await connection.exec("pragma recursive_triggers = on; pragma foreign_keys = off");
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/**
 * Runs a read. A writer that was killed may have left a journal, which a read-only connection cannot roll back. Then it
 * opens the file for writing, which rolls the journal back, and reads again.
 */
export const withJournalRecovery = <T>(plan: ConnectionPlan, read: () => Promise<T>): Promise<T> =>
  read().catch(async (error: unknown) => {
    const mayRecover = plan.path !== null && plan.location.mutable;
    if (!mayRecover || !isReadOnly(error)) throw error;
    const connection = await openWriter(plan);
    try {
      await connection.all({ sql: "select count(*) from sqlite_schema" });
    } finally {
      await connection.close();
    }
    return read();
  });

/** A read that failed, and until when it may wait for a lock. */
interface FailedRead<T> {
  readonly plan: ConnectionPlan;
  readonly deadlineMs: number;
  readonly read: () => Promise<T>;
}

/** Runs a read again while another process holds the lock. @throws `error` if that was not the reason */
export async function retryIfLocked<T>(
  error: unknown,
  { plan, deadlineMs, read }: FailedRead<T>,
): Promise<T> {
  if (!isBusy(error) && !isReadOnly(error)) throw error;
  return retryWhileBusy(deadlineMs, () => withJournalRecovery(plan, read));
}

/** A connection without limits and extensions, for copies of the whole database. */
export const openForCopy = (plan: ConnectionPlan): Promise<Connection> =>
  Connection.open(plan.base + query(plan), "read-only");

/** Copies the current state of a database to a new file, page by page. */
export async function copyDatabase(plan: ConnectionPlan, path: string): Promise<void> {
  const connection = await openForCopy(plan);
  try {
    await connection.copyTo(path);
  } finally {
    await connection.close();
  }
}

/**
 * Creates an empty database of one page.
 *
 * @throws StartupError if the file cannot be created
 */
export async function createFile({ base, path, location }: ConnectionPlan): Promise<void> {
  const refusal = (error: unknown, advice = ""): StartupError =>
    new StartupError(
      `Could not create ${location.shownPath ?? path}: ${bareMessage(messageOf(error))}${advice}`,
      1,
      {
        cause: error,
      },
    );
  const connection = await Connection.open(base, "create").catch((error: unknown) => {
    throw refusal(error, ". Its folder must exist and be writable");
  });
  try {
    // The internal database has the log of changes, also of tables that not all users of the machine may read.
    if (location.internal === true && path !== null) await chmod(path, 0o600);
    // VACUUM writes the header although the database is empty.
    await connection.exec("vacuum");
  } catch (error) {
    await connection.close();
    // A file without bytes would be taken for a database at the next start. It can be that of the program with the lock.
    if (path !== null && !isBusy(error) && (await stat(path)).size === 0) await rm(path);
    throw refusal(error);
  }
  await connection.close();
}

async function open(plan: ConnectionPlan, mode: OpenMode): Promise<Connection> {
  const connection = await Connection.open(plan.base + query(plan), mode);
  try {
    connection.busyTimeout(BUSY_TIMEOUT_MS);
    await prepare(connection, plan);
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function query({ location, path }: ConnectionPlan): string {
  if (path === null) return "?vfs=memdb";
  if (!location.mutable) return "?immutable=1";
  return location.nolock === true ? "?nolock=1" : "";
}

async function prepare(connection: Connection, plan: ConnectionPlan): Promise<void> {
  await connection.exec(`pragma hard_heap_limit = ${plan.heapLimitBytes}`);
  if (plan.cacheSizeKb > 0) await connection.exec(`pragma cache_size = -${Math.trunc(plan.cacheSizeKb)}`);
  for (const extension of plan.loadExtensions) await loadExtension(connection, extension);
  await plan.prepare({
    exec: (sql) => connection.exec(sql),
    loadExtension: (path, entryPoint) =>
      loadExtension(connection, entryPoint === undefined ? path : `${path}:${entryPoint}`),
  });
}

/** @throws StartupError if it cannot be loaded, or has an entry point, which the driver does not support */
async function loadExtension(connection: Connection, extension: string): Promise<void> {
  const [, path = extension, entryPoint] = /^(.+):([A-Za-z_][A-Za-z0-9_]*)$/.exec(extension) ?? [];
  if (entryPoint !== undefined) {
    throw new StartupError(
      `Extension ${path} can't be loaded with the entry point ${entryPoint}: the driver always uses the default one`,
    );
  }
  try {
    await connection.loadExtension(path);
  } catch (error) {
    const reason = bareMessage((error as Error).message);
    throw new StartupError(`Could not load extension ${path}: ${reason}`, 1, { cause: error });
  }
}

async function attachOthers(connection: Connection, { location }: ConnectionPlan): Promise<void> {
  for (const { name, path } of location.attach ?? []) {
    const uri = `${fileUri(path)}?mode=ro&vfs=${FILE_VFS}`;
    await connection
      .run({ sql: `attach ?1 as ${quoteIdentifier(name)}`, values: [uri] })
      .catch((error: Error) => {
        throw Object.assign(error, { attached: name });
      });
  }
}
