import { TableNotFound, WriteRejected, permissionChain, tildeDecode } from "rowhouse/plugin-api";
import type { Database, ReadableTable, Schema, Table } from "rowhouse/plugin-api";
import { isKept } from "../idempotency/idempotency-store.js";
import { authorizeWrite, requireMutable } from "./authorize-write.js";
import type { WriteVisit } from "./authorize-write.js";

/** What an operation needs, and what is said to those who lack it. */
export interface Needs {
  readonly actions: readonly string[];
  readonly refusal: string;
}

export interface TableTarget {
  readonly database: Database;
  /** What the table was found in, where that may be an old one: a write must be made under this schema or not at all. */
  readonly schema: Schema | null;
  /** Without columns that are hidden from the actor. */
  readonly table: Table;
  /** The same, and how its rows are read: what the actor can't read is not there to be written. */
  readonly readable: ReadableTable;
}

/** Who may write may not always read. */
export async function mayView(
  { rowhouse, actor }: WriteVisit,
  { database, table }: TableTarget,
): Promise<boolean> {
  return rowhouse.permissions.allowed(actor, permissionChain({ database, table }));
}

/** The database in the path. @throws WriteRejected, DatabaseNotFound */
export async function databaseTarget(visit: WriteVisit, needs: Needs): Promise<Database> {
  const name = named(visit, "database");
  const locate = async (): Promise<Database> => visit.rowhouse.database(name);
  const database = await authorizeWrite(visit, {
    ...needs,
    resource: name,
    view: permissionChain({ database: name }),
    locate,
  });
  requireMutable(database);
  return database;
}

/** The database in the path, whoever asks. */
export const databaseIfAny = (visit: WriteVisit): Database | undefined =>
  visit.rowhouse.databases.get(named(visit, "database"));

/**
 * The table in the path.
 *
 * @param schema to look it up in; the current one unless given
 * @throws WriteRejected, DatabaseNotFound, TableNotFound
 */
export async function tableTarget(
  visit: WriteVisit,
  needs: Needs,
  schema: Schema | null = null,
): Promise<TableTarget> {
  return admitted(visit, needs, async () => {
    const found = await locateTable(visit, schema);
    if (found.table.kind === "view") throw new TableNotFound(found.database.name, found.table.name);
    return found;
  });
}

/** May the actor view the table in the path, or one of that name? */
export async function mayViewNamed(visit: WriteVisit): Promise<boolean> {
  const chain = permissionChain({ database: named(visit, "database"), table: named(visit, "table") });
  return visit.rowhouse.permissions.allowed(visit.actor, chain);
}

/** The names in the path, whether there is such a table or not. @throws WriteRejected, DatabaseNotFound */
export async function namedTable(
  visit: WriteVisit,
  needs: Needs,
): Promise<{ readonly database: string; readonly table: string }> {
  const database = await known(visit, needs, async () => visit.rowhouse.database(named(visit, "database")));
  requireMutable(database);
  return { database: database.name, table: named(visit, "table") };
}

/** The table in the path, for somebody who may alter it. @throws WriteRejected, DatabaseNotFound, TableNotFound */
export async function alterTarget(visit: WriteVisit): Promise<TableTarget> {
  const target = await tableTarget(visit, { actions: ["alter-table"], refusal: "Permission denied" });
  requireWhole(target.readable);
  if (target.table.kind === "table") return target;
  throw new WriteRejected([`Cannot alter a virtual table: ${target.table.name}`]);
}

/**
 * The table or view in the path, for somebody who may alter it, to be described and not changed: that goes for
 * immutable databases, too.
 *
 * @throws WriteRejected, DatabaseNotFound, TableNotFound
 */
export async function describedTarget(visit: WriteVisit): Promise<TableTarget> {
  const needs = { actions: ["alter-table"], refusal: "Permission denied" };
  const target = await known(visit, needs, () => locateTable(visit));
  requireWhole(target.readable);
  requireUserTable(target.table);
  return target;
}

export async function admitted<Found extends TableTarget>(
  visit: WriteVisit,
  needs: Needs,
  locate: () => Promise<Found>,
): Promise<Found> {
  const found = await known(visit, needs, locate);
  requireMutable(found.database);
  requireUserTable(found.table);
  return found;
}

/** What the path names, for those who may know. */
function known<Found>(visit: WriteVisit, needs: Needs, locate: () => Promise<Found>): Promise<Found> {
  const { actions, refusal } = needs;
  const database = named(visit, "database");
  const table = named(visit, "table");
  const view = permissionChain({ database, table });
  return authorizeWrite(visit, { actions, refusal, resource: [database, table], view, locate });
}

export async function locateTable(visit: WriteVisit, schema: Schema | null = null): Promise<TableTarget> {
  const database = visit.rowhouse.database(named(visit, "database"));
  const name = named(visit, "table");
  const table = (schema ?? (await database.schema())).tables.get(name);
  if (table === undefined) throw new TableNotFound(database.name, name);
  const readable = await readableTable(visit, database, table);
  return { database, schema, table: readable.table, readable };
}

/** A table as whoever writes may read it. */
async function readableTable(
  { rowhouse, actor }: WriteVisit,
  database: Database,
  table: Table,
): Promise<ReadableTable> {
  return rowhouse.service("tables").readable(actor, database, table);
}

/** What changes a table as a whole is not for those who see a part of it. @throws WriteRejected (403) */
export function requireWhole({ restricted, table }: ReadableTable): void {
  if (restricted)
    throw new WriteRejected([`Permission denied: a part of ${table.name} is hidden from you`], 403);
}

/** The same about a table as the actor may read it. @throws WriteRejected (403) */
export const requireReadableWhole = async (
  visit: WriteVisit,
  database: Database,
  table: Table,
): Promise<void> => requireWhole(await readableTable(visit, database, table));

const named = ({ params }: WriteVisit, name: string): string => tildeDecode(params[name] ?? "");

/** The engine's tables, our own and the insides of virtual ones are nobody's to write. @throws WriteRejected */
export function requireUserTable({ name, kind }: Table): void {
  if (kind === "shadow" || name.toLowerCase().startsWith("sqlite_") || isKept(name)) {
    throw new WriteRejected([`Table is not writable: ${name}`]);
  }
}
