import type {
  Actor,
  Database,
  Opinion,
  PermissionCheck,
  ReadScope,
  Rowhouse,
  Schema,
  Table,
} from "rowhouse/plugin-api";
import { viewTableChain, viewable } from "./viewable.js";

/** Schemas as last seen, so that a permission check need not ask the database. */
const seen = new WeakMap<Database, Schema>();

/** The schema of a database, kept for {@link closedWithItsSource}. */
export async function seenSchema(database: Database): Promise<Schema> {
  const schema = await database.schema();
  if (seen.get(database) !== schema) seen.set(database, schema);
  return schema;
}

/**
 * A full-text table holds the words of the table it was made from, a shadow table those of its virtual table:
 * whoever may not view the one may not view the other. No opinion on anything else.
 */
export function closedWithItsSource(
  rowhouse: Rowhouse,
  { actor, action, resource }: PermissionCheck,
): Promise<Opinion | null> | null {
  if (action !== "view-table" || !Array.isArray(resource)) return null;
  const [databaseName, name] = resource as readonly [string, string];
  const database = rowhouse.databases.get(databaseName);
  if (database === undefined) return null;
  const source = sourceOf(seen.get(database)?.tables.get(name));
  return source === null ? null : closedWith(rowhouse, { actor, database: databaseName, source });
}

function sourceOf(table: Table | undefined): string | null {
  if (table === undefined) return null;
  const source = table.shadowOf ?? (table.module === null ? null : (table.fullText?.contentTable ?? null));
  return source === table.name ? null : source;
}

async function closedWith(
  rowhouse: Rowhouse,
  {
    actor,
    database,
    source,
  }: { readonly actor: Actor | null; readonly database: string; readonly source: string },
): Promise<Opinion | null> {
  const { visible } = await rowhouse.visibility(actor, viewTableChain(database, source));
  return visible ? null : { allowed: false, because: `made from ${source}, which may not be viewed` };
}

/** The engine's own tables that have rows about other tables, with the column that names them. */
const ABOUT_TABLES: ReadonlyMap<string, string> = new Map([
  ["sqlite_sequence", "name"],
  ["sqlite_stat1", "tbl"],
  ["sqlite_stat2", "tbl"],
  ["sqlite_stat3", "tbl"],
  ["sqlite_stat4", "tbl"],
]);

interface Scoped {
  readonly actor: Actor | null;
  readonly database: Database;
  readonly table: Table;
}

/**
 * Of the engine's rows about other tables an actor sees those about tables they may view; of a table made from
 * another nothing, as soon as anything of that other one is hidden from them.
 */
export function scopeOfDerived(rowhouse: Rowhouse, scoped: Scoped): Promise<ReadScope | null> | null {
  const column = ABOUT_TABLES.get(scoped.table.name);
  if (column !== undefined) return rowsAboutViewable(rowhouse, scoped, column);
  const source = sourceOf(scoped.table);
  return source === null ? null : nothingOfNarrowed(rowhouse, scoped, source);
}

async function rowsAboutViewable(
  rowhouse: Rowhouse,
  { actor, database }: Scoped,
  column: string,
): Promise<ReadScope | null> {
  const names = [...(await database.schema()).tables.keys()];
  const allowed = await viewable(rowhouse, actor, database, names);
  if (allowed.size === names.length) return null;
  const params = Object.fromEntries([...allowed].map((name, index) => [`name${index}`, name]));
  const listed = Object.keys(params).map((name) => `:${name}`);
  return { where: `${column} in (${listed.join(", ")})`, params };
}

async function nothingOfNarrowed(
  rowhouse: Rowhouse,
  { actor, database }: Scoped,
  source: string,
): Promise<ReadScope | null> {
  const table = (await database.schema()).tables.get(source);
  if (table === undefined) return null;
  const scopes = await rowhouse.hooks.read_scope.promise([], rowhouse, { actor, database, table });
  return scopes.length === 0 ? null : { where: "0" };
}
