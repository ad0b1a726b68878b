import { access, constants, stat } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  quoteIdentifier,
  StartupError,
  type DatabaseLocation,
  type Rowhouse,
  type SqlConnection,
} from "rowhouse/plugin-api";
import { Connection, type OpenMode } from "./connection.js";
import { bareMessage, type DriverError } from "./errors.js";

/** What every connection of one database is opened with. All of it but `prepare` can be sent to another process. */
export interface ConnectionPlan {
  readonly location: DatabaseLocation;
  /** SQLite's own URI, without query. */
  readonly base: string;
  readonly path: string | null;
  /** 0 leaves SQLite's default. */
  readonly cacheSizeKb: number;
  /** SQLite reports that it is out of memory beyond this. It counts for the whole process. */
  readonly heapLimitBytes: number;
  /** SQLite extensions that each connection loads, as `path` or `path:entrypoint`. */
  readonly loadExtensions: readonly string[];
  /** What plugins do to each connection before its first statement. */
  readonly prepare: (connection: SqlConnection) => Promise<void>;
}

/** The plan of a database with the instance that serves it. */
export interface DatabasePlan extends ConnectionPlan {
  readonly rowhouse: Rowhouse;
}

/** Text, blobs and rows beyond this are refused: to strangers, and to ourselves (below what a JavaScript string holds). */
export const MAX_LENGTH = { untrusted: 50_000_000, trusted: 400_000_000 } as const;
/** Longest statement a stranger may send, in characters. */
export const MAX_STATEMENT = 1_000_000;
// Our own text around a statement of two thousand columns needs room too.
const MAX_WRAPPED_STATEMENT = 4_000_000;
/** What a transaction may change, in KiB, before its pages go to the file. */
const UNWRITTEN_KIB = 65_536;
const LIKE_PATTERN_BYTES = 1_000;
/** Of the whole process: what a sort may use before SQLite reports that it is out of memory. */
const HEAP_LIMIT_BYTES = 1_073_741_824;
// Waiting for a lock inside SQLite blocks a thread, hence short; the rest of the wait is ours.
const BUSY_TIMEOUT_MS = 100;

let memories = 0;

/** Where a location's connections go; each `memory:` location is a database of its own. */
export function planFor(rowhouse: Rowhouse, location: DatabaseLocation): DatabasePlan {
  return {
    ...placeOf(location),
    rowhouse,
    location,
    cacheSizeKb: rowhouse.setting("cache_size_kb"),
    heapLimitBytes: HEAP_LIMIT_BYTES,
    loadExtensions: rowhouse.option("loadExtension") ?? [],
    prepare: (connection) =>
      rowhouse.hooks.prepare_connection.promise(rowhouse, { database: location.name, connection }),
  };
}

function placeOf({ uri }: DatabaseLocation): Pick<ConnectionPlan, "base" | "path"> {
  if (uri.startsWith("memory:")) {
    memories += 1;
    return { base: `file:/rowhouse-${process.pid}-${memories}`, path: null };
  }
  const path = filePath(uri);
  return { base: fileUri(path), path };
}

// What is attached to a database in memory would otherwise be looked for in memory.
const FILE_VFS = process.platform === "win32" ? "win32" : "unix";

/** A file's name in SQLite's URI form, without query. */
export const fileUri = (path: string): string => pathToFileURL(path).href.replace(/^file:\/\//, "file:");

const filePath = (uri: string): string =>
  uri.startsWith("file://") ? fileURLToPath(uri) : uri.slice("file:".length);

/** A connection that can only read: for pages and, confined further, for strangers. */
export async function openReader(plan: ConnectionPlan): Promise<Connection> {
  const connection = await open(plan, "read-only");
  await attachOthers(connection, plan);
  connection.limit("attached", 0);
  connection.limit("sqlLength", MAX_WRAPPED_STATEMENT);
  connection.limit("likePatternLength", LIKE_PATTERN_BYTES);
  await connection.exec("pragma trusted_schema = off; pragma temp_store = memory; pragma query_only = on");
  return connection;
}

/** The one connection that writes. */
export async function openWriter(plan: ConnectionPlan): Promise<Connection> {
  const connection = await open(plan, plan.path === null ? "create" : "read-write");
  connection.limitLength(MAX_LENGTH.trusted);
  // What is acknowledged survives a power cut, also where a commit is the deletion of a journal.
  await connection.exec("pragma synchronous = extra");
  // Where there is no write-ahead log, a page that leaves memory before the commit shuts all readers out.
  await connection.exec(`pragma cache_spill = -${UNWRITTEN_KIB}`);
  await connection.exec("pragma recursive_triggers = on; pragma foreign_keys = off");
  return connection;
}

/**
 * Runs a read; when a writer that was killed left a journal behind, which connections that only read can't
 * clear away, opens the file for writing for as long as that takes, and reads again.
 */
export const withJournalRecovery = <T>(plan: ConnectionPlan, read: () => Promise<T>): Promise<T> =>
  read().catch(async (error: unknown) => {
    const mayRecover = plan.path !== null && plan.location.mutable;
    if (!mayRecover || (error as DriverError).code !== "SQLITE_READONLY") throw error;
    const connection = await openWriter(plan);
    try {
      await connection.all({ sql: "select count(*) from sqlite_schema", values: [] });
    } finally {
      await connection.close();
    }
    return read();
  });

/** Copies a database as it is now, page by page, to a new file. */
export async function copyDatabase(plan: ConnectionPlan, path: string): Promise<void> {
  const connection = await Connection.open(plan.base + query(plan), "read-only");
  try {
    await connection.copyTo(path);
  } finally {
    await connection.close();
  }
}

/** Makes an empty database of one page when the file is missing. */
export async function createFile({ base }: ConnectionPlan): Promise<void> {
  const connection = await Connection.open(base, "create");
  // VACUUM writes the header even though there is nothing to put behind it.
  await connection.exec("vacuum");
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

/** @throws StartupError when it can't be loaded, or names an entry point, which the driver can't pass on */
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
    throw new StartupError(`Could not load extension ${path}: ${(error as Error).message}`, 1, {
      cause: error,
    });
  }
}

async function attachOthers(connection: Connection, { location }: ConnectionPlan): Promise<void> {
  for (const { name, path } of location.attach ?? []) {
    const uri = `${fileUri(path)}?mode=ro&vfs=${FILE_VFS}`;
    await connection.run({ sql: `attach ?1 as ${quoteIdentifier(name)}`, values: [uri] });
  }
}

/**
 * Is this a file that can be served? What only time can mend (a lock) passes.
 *
 * @throws StartupError that says in one line what is wrong with it
 */
export async function checkFile(plan: ConnectionPlan): Promise<void> {
  const shown = plan.location.shownPath ?? plan.path ?? plan.location.name;
  if (plan.path !== null) await checkReadable(plan.path, shown);
  let connection: Connection | undefined;
  try {
    const opened = await openReader(plan);
    connection = opened;
    await withJournalRecovery(plan, () => checkTables(opened));
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throwUnlessTransient(error as DriverError, shown);
  } finally {
    await connection?.close();
  }
}

async function checkReadable(path: string, shown: string): Promise<void> {
  const reason = await stat(path)
    .then(async (file) => {
      if (!file.isFile()) return "not a file";
      await access(path, constants.R_OK);
      return null;
    })
    .catch((error: NodeJS.ErrnoException) => REASONS[error.code ?? ""] ?? error.message);
  if (reason !== null) throw new StartupError(`Could not read ${shown}: ${reason}`);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  EACCES: "permission denied",
  ENOTDIR: "not a directory",
};

async function checkTables(connection: Connection): Promise<void> {
  const tables = await connection.all<{ name: string }>({
    sql: "select name from sqlite_schema where type = 'table'",
    values: [],
  });
  for (const { name } of tables) await connection.check(`select * from ${quoteIdentifier(name)}`);
}

function throwUnlessTransient(error: DriverError, shown: string): void {
  const reason = bareMessage(error.message);
  if (error.code === "SQLITE_BUSY" || error.code === "SQLITE_LOCKED") return;
  if (error.code === "SQLITE_NOTADB")
    throw new StartupError(`${shown} is not a database`, 1, { cause: error });
  const hint = extensionHint(reason);
  throw new StartupError(`Connection to ${shown} failed check: ${reason}${hint}`, 2, { cause: error });
}

/** Virtual tables that SpatiaLite makes in every spatial database. */
const SPATIAL_MODULE = /^Virtual(?:SpatialIndex|Elementary|KNN2?|BBox|Network|Routing|GeoJSON|XPath)$/i;

/** How to go on where a table needs a module that no loaded extension provides; else empty. */
function extensionHint(reason: string): string {
  const [, module] = /^no such module: (\S+)$/.exec(reason) ?? [];
  if (module === undefined) return "";
  return SPATIAL_MODULE.test(module)
    ? ". This is a SpatiaLite database: start with --load-extension spatialite"
    : ". If an extension provides it, load it with --load-extension PATH";
}
