import {
  permissionChain,
  WriteRejected,
  type Database,
  type Resource,
  type Table,
  type Visit,
} from "rowhouse/plugin-api";
import type { ResourcePath } from "rowhouse/plugin-api/access";
import type { ReadableTable } from "rowhouse/plugin-api/contracts";
import type { TableTarget } from "rowhouse/plugin-api/http";
import { acceptsWrites } from "rowhouse/plugin-api/engine";
import { meaningful, sqlTokens } from "rowhouse/plugin-api/sql";

/** What the checks of a write need of its request. */
export type WriteContext = Pick<Visit, "rowhouse" | "request" | "actor">;

/** A table, or a name that may belong to none. */
export type TableName = Required<Pick<ResourcePath, "database" | "table">>;

/** May the actor view the table? The permission to write does not include it. */
export const canView = (
  { rowhouse, actor }: Pick<WriteContext, "rowhouse" | "actor">,
  { database, table }: TableName,
): Promise<boolean> => rowhouse.permissions.allowed(actor, permissionChain({ database, table }));

/** False if a foreign key of the table names a table that the actor may not view: then its definition is not shown. */
export async function mayReadDefinition(
  { rowhouse, actor }: WriteContext,
  database: Database,
  table: Table,
): Promise<boolean> {
  const [shown] = await rowhouse.service("rowAccess").describable(actor, database, [table]);
  return shown?.table.foreignKeys.length === table.foreignKeys.length;
}

/** @throws WriteRejected (403) unless the actor may view the table */
export async function requireView(context: WriteContext, of: TableName, purpose: string): Promise<void> {
  if (!(await canView(context, of)))
    throw new WriteRejected([`Permission denied: need view-table to ${purpose}`], 403);
}

/** @throws WriteRejected (403) unless the actor may do `action` */
export async function requirePermission(
  { rowhouse, actor }: WriteContext,
  [action, resource]: readonly [action: string, resource: Resource],
  refusal: string,
): Promise<void> {
  if (!(await rowhouse.permissions.allowed(actor, action, resource))) throw new WriteRejected([refusal], 403);
}

/**
 * True if a rule of its own hides a full-text index of the table. For actors who may not view the table itself, the index
 * is a part of it like any other.
 */
export async function isHiddenIndex(
  context: WriteContext,
  { database, table }: TableTarget,
  index: string,
): Promise<boolean> {
  const isViewable = (name: string) => canView(context, { database: database.name, table: name });
  return !(await isViewable(index)) && (await isViewable(table.name));
}

/** Changes to a whole table need an actor from whom no row or column is hidden. @throws WriteRejected (403) */
export function requireUnrestricted({ restricted, table }: ReadableTable): void {
  if (restricted)
    throw new WriteRejected([`Permission denied: a part of ${table.name} is hidden from you`], 403);
}

/**
 * True for tables with a constraint `on conflict replace`: an insert or an update deletes the rows that have its values.
 * `not null on conflict replace` only takes the default.
 */
export function replacesOnConflict({ schema, table }: TableTarget): boolean {
  const sql = schema?.tables.get(table.name)?.sql ?? table.sql ?? "";
  const words = meaningful(sqlTokens(sql)).map(({ text }) => text.toLowerCase());
  return /(?<!null )on conflict replace/.test(words.join(" "));
}

/**
 * A constraint would delete rows that the actor cannot see. A full-text index of another table takes words for any row of
 * it, also for one that has words.
 *
 * @throws WriteRejected (403)
 */
export function requireHiddenRowsKept(target: TableTarget): void {
  if (!target.source.restricted) return;
  if (isIndexOfOther(target.table)) requireUnrestricted(target.source);
  if (!replacesOnConflict(target)) return;
  const { name } = target.table;
  throw new WriteRejected(
    [`Permission denied: ${name} replaces rows on conflict, and a part of it is hidden from you`],
    403,
  );
}

const isIndexOfOther = ({ name, fullText }: Table): boolean =>
  fullText?.table === name && fullText.contentTable !== null;

/** Replacing can change rows that the actor cannot see, so it needs an unrestricted table. @throws WriteRejected (403) */
export async function requireReplacePermission(
  context: WriteContext,
  { database, table, source }: TableTarget,
): Promise<void> {
  await requirePermission(
    context,
    ["update-row", [database.name, table.name]],
    'Permission denied: need update-row to use "replace"',
  );
  requireUnrestricted(source);
}

/** `requireUnrestricted` for a table that was looked up without permissions. @throws WriteRejected (403) */
export const requireUnrestrictedTable = async (
  { rowhouse, actor }: WriteContext,
  database: Database,
  table: Table,
): Promise<void> => requireUnrestricted(await rowhouse.service("rowAccess").readable(actor, database, table));

/**
 * A foreign key tells which values the referenced table has, also those of hidden rows and columns. So the actor must be
 * able to view all of the table.
 *
 * @throws WriteRejected
 */
export async function requireReferable(
  context: WriteContext,
  database: Database,
  name: string,
): Promise<void> {
  const table = (await database.schema()).tables.get(name);
  // Missing tables are refused here, too: a later check would tell them from hidden ones.
  if (table === undefined || !(await canView(context, { database, table: name })))
    throw new WriteRejected([`no such table: ${name}`]);
  await requireUnrestrictedTable(context, database, table);
}

/** Rejects tables of SQLite, of Rowhouse, and shadow tables of virtual tables. @throws WriteRejected */
export function requireUserTable(table: Table): void {
  if (table.kind !== "view" && !acceptsWrites(table))
    throw new WriteRejected([`Table is not writable: ${table.name}`]);
}

/** @throws WriteRejected for tables whose definition the actor cannot change */
export function requireAlterable({ source, table }: TableTarget): void {
  requireUserTable(table);
  requireUnrestricted(source);
  if (table.kind !== "table") throw new WriteRejected([`Cannot alter a virtual table: ${table.name}`]);
}
