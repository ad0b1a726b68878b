import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { quoteIdentifier, StartupError } from "rowhouse/plugin-api";
import type { Connection } from "./connection.js";
import { bareMessage, isBusy, type DriverError } from "./errors.js";
import { openReader, withJournalRecovery, type ConnectionPlan } from "./open-connection.js";

/**
 * Checks that a file can be served. Temporary conditions, such as a lock, are not errors.
 *
 * @throws StartupError with the problem in one line
 */
export async function checkFile(plan: ConnectionPlan): Promise<void> {
  const shown = plan.location.shownPath ?? plan.path ?? plan.location.name;
  if (plan.path !== null) await checkReadable(plan.path, shown);
  let connection: Connection | undefined;
  try {
    const opened = await openReader(plan, "memory");
    connection = opened;
    await withJournalRecovery(plan, () => checkTables(opened));
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throwUnlessTransient(error as DriverError, { shown, hint: await folderHint(plan, error as DriverError) });
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
  });
  for (const { name } of tables) await connection.check(`select * from ${quoteIdentifier(name)}`);
}

interface Problem {
  readonly shown: string;
  /** What to do; empty if that is not known. */
  readonly hint: string;
}

function throwUnlessTransient(error: DriverError, { shown, hint }: Problem): void {
  if (isBusy(error)) return;
  const reason = bareMessage(error.message);
  if (error.attached !== undefined) {
    const problem = `Could not attach ${error.attached} to ${shown}: ${reason}`;
    throw new StartupError(`${problem}. Serve it without --crossdb`, 1, { cause: error });
  }
  if (error.code === "SQLITE_NOTADB")
    throw new StartupError(`${shown} is not a database`, 1, { cause: error });
  const text = `Connection to ${shown} failed check: ${reason}${hint || extensionHint(reason)}`;
  throw new StartupError(text, 2, { cause: error });
}

/** SQLite writes beside a file with a write-ahead log to read it, and to undo an interrupted write. */
async function folderHint({ path, location }: ConnectionPlan, { code }: DriverError): Promise<string> {
  if (path === null || !location.mutable) return "";
  if (code !== "SQLITE_CANTOPEN" && code !== "SQLITE_READONLY") return "";
  return access(dirname(path), constants.W_OK).then(
    () => "",
    () =>
      ". Make its folder writable, or serve it with -i, which reads neither a write-ahead log nor a journal",
  );
}

/** Modules of the virtual tables that SpatiaLite creates in each spatial database. */
const SPATIAL_MODULE = /^Virtual(?:SpatialIndex|Elementary|KNN2?|BBox|Network|Routing|GeoJSON|XPath)$/i;

/** What to do if a table needs a module that no loaded extension provides; else empty. */
function extensionHint(reason: string): string {
  const [, module] = /^no such module: (\S+)$/.exec(reason) ?? [];
  if (module === undefined) return "";
  return SPATIAL_MODULE.test(module)
    ? ". This is a SpatiaLite database: start with --load-extension spatialite"
    : ". If an extension provides it, load it with --load-extension PATH";
}
