import { TableNotFound, WriteRejected, permissionChain, tildeDecode } from "rowhouse/plugin-api";
import type { Database, ReadableTable, Schema, Table } from "rowhouse/plugin-api";
import { isReplyStore } from "../idempotency/idempotency-store.js";
import { authorizeWrite, requireMutable } from "./authorize-write.js";
import type { WriteVisit } from "./authorize-write.js";

/** The permissions that an operation requires, and the message for actors without them. */
export interface RequiredPermissions {
  readonly actions: readonly string[];
  readonly deniedMessage: string;
}

export interface TableTarget {
  readonly database: Database;
  /** The schema in which the table was found, if it may be outdated: the write must fail under any other schema. */
  readonly schema: Schema | null;
  /** Without the columns that are hidden from the actor. */
  readonly table: Table;
  /** The same table, with the subquery that reads it. Rows that the actor cannot read cannot be written either. */
  readonly readable: ReadableTable;
}

/** May the actor view the table? The permission to write does not include it. */
export async function canViewTable(
  { rowhouse, actor }: WriteVisit,
  { database, table }: TableTarget,
): Promise<boolean> {
  return rowhouse.permissions.allowed(actor, permissionChain({ database, table }));
}

/** The database in the path. @throws WriteRejected, DatabaseNotFound */
export async function databaseTarget(visit: WriteVisit, required: RequiredPermissions): Promise<Database> {
  const name = nameInPath(visit, "database");
  const locate = async (): Promise<Database> => visit.rowhouse.database(name);
  const database = await authorizeWrite(visit, {
    ...required,
    resource: name,
    viewChain: permissionChain({ database: name }),
    locate,
  });
  requireMutable(database);
  return database;
}

/** The database in the path, without a permission check. */
export const databaseIfAny = (visit: WriteVisit): Database | undefined =>
  visit.rowhouse.databases.get(nameInPath(visit, "database"));

/**
 * The table in the path.
 *
 * @param schema to look it up in; the current one unless given
 * @throws WriteRejected, DatabaseNotFound, TableNotFound
 */
export async function tableTarget(
  visit: WriteVisit,
  required: RequiredPermissions,
  schema: Schema | null = null,
): Promise<TableTarget> {
  return writableTarget(visit, required, async () => {
    const found = await locateTable(visit, schema);
    if (found.table.kind === "view") throw new TableNotFound(found.database.name, found.table.name);
    return found;
  });
}

/** May the actor view the table in the path? Works for names that do not exist, too. */
export async function canViewNamedTable(visit: WriteVisit): Promise<boolean> {
  const chain = permissionChain({
    database: nameInPath(visit, "database"),
    table: nameInPath(visit, "table"),
  });
  return visit.rowhouse.permissions.allowed(visit.actor, chain);
}

/** The names in the path, whether there is such a table or not. @throws WriteRejected, DatabaseNotFound */
export async function authorizedNames(
  visit: WriteVisit,
  required: RequiredPermissions,
): Promise<{ readonly database: string; readonly table: string }> {
  const database = await authorizeTableWrite(visit, required, async () =>
    visit.rowhouse.database(nameInPath(visit, "database")),
  );
  requireMutable(database);
  return { database: database.name, table: nameInPath(visit, "table") };
}

/** The table in the path, if the actor may alter it. @throws WriteRejected, DatabaseNotFound, TableNotFound */
export async function alterTarget(visit: WriteVisit): Promise<TableTarget> {
  const target = await tableTarget(visit, { actions: ["alter-table"], deniedMessage: "Permission denied" });
  requireUnrestricted(target.readable);
  if (target.table.kind === "table") return target;
  throw new WriteRejected([`Cannot alter a virtual table: ${target.table.name}`]);
}

/**
 * The table or view in the path, if the actor may alter it. For requests that describe a table and do not change its
 * file, so immutable databases are allowed.
 *
 * @throws WriteRejected, DatabaseNotFound, TableNotFound
 */
export async function describableTarget(visit: WriteVisit): Promise<TableTarget> {
  const required = { actions: ["alter-table"], deniedMessage: "Permission denied" };
  const target = await authorizeTableWrite(visit, required, () => locateTable(visit));
  requireUnrestricted(target.readable);
  requireUserTable(target.table);
  return target;
}

export async function writableTarget<Found extends TableTarget>(
  visit: WriteVisit,
  required: RequiredPermissions,
  locate: () => Promise<Found>,
): Promise<Found> {
  const found = await authorizeTableWrite(visit, required, locate);
  requireMutable(found.database);
  requireUserTable(found.table);
  return found;
}

/** The table or row in the path, if the actor has the required permissions. */
function authorizeTableWrite<Found>(
  visit: WriteVisit,
  required: RequiredPermissions,
  locate: () => Promise<Found>,
): Promise<Found> {
  const { actions, deniedMessage } = required;
  const database = nameInPath(visit, "database");
  const table = nameInPath(visit, "table");
  const viewChain = permissionChain({ database, table });
  return authorizeWrite(visit, { actions, deniedMessage, resource: [database, table], viewChain, locate });
}

export async function locateTable(visit: WriteVisit, schema: Schema | null = null): Promise<TableTarget> {
  const database = visit.rowhouse.database(nameInPath(visit, "database"));
  const name = nameInPath(visit, "table");
  const table = (schema ?? (await database.schema())).tables.get(name);
  if (table === undefined) throw new TableNotFound(database.name, name);
  const readable = await readableTable(visit, database, table);
  return { database, schema, table: readable.table, readable };
}

/** The table as the actor may read it. */
async function readableTable(
  { rowhouse, actor }: WriteVisit,
  database: Database,
  table: Table,
): Promise<ReadableTable> {
  return rowhouse.service("tables").readable(actor, database, table);
}

/** Changes to a whole table need an actor from whom no row or column is hidden. @throws WriteRejected (403) */
export function requireUnrestricted({ restricted, table }: ReadableTable): void {
  if (restricted)
    throw new WriteRejected([`Permission denied: a part of ${table.name} is hidden from you`], 403);
}

/** The same check for a table that was looked up without permissions. @throws WriteRejected (403) */
export const requireUnrestrictedTable = async (
  visit: WriteVisit,
  database: Database,
  table: Table,
): Promise<void> => requireUnrestricted(await readableTable(visit, database, table));

const nameInPath = ({ params }: WriteVisit, name: string): string => tildeDecode(params[name] ?? "");

/** Rejects tables of SQLite, of Rowhouse, and shadow tables of virtual tables. @throws WriteRejected */
export function requireUserTable({ name, kind }: Table): void {
  if (kind === "shadow" || name.toLowerCase().startsWith("sqlite_") || isReplyStore(name)) {
    throw new WriteRejected([`Table is not writable: ${name}`]);
  }
}
