import { quoteIdentifier } from "rowhouse/plugin-api";
import type { Actor, Database, ReadScope, ReadableTable, Rowhouse, Table } from "rowhouse/plugin-api";
import { sourceOf } from "./derived-tables.js";
import { isNarrowing } from "./read-scopes.js";
import type { Reading } from "./read-scopes.js";
import { viewable } from "./viewable.js";

/** The engine's own tables that have rows about other tables, with the column that names them. */
const ABOUT_TABLES: ReadonlyMap<string, string> = new Map([
  ["sqlite_sequence", "name"],
  ["sqlite_stat1", "tbl"],
  ["sqlite_stat2", "tbl"],
  ["sqlite_stat3", "tbl"],
  ["sqlite_stat4", "tbl"],
]);

export interface Scoped {
  readonly actor: Actor | null;
  readonly database: Database;
  readonly table: Table;
  /** What the tables are to the actor from which this one is made. */
  readonly readable: (reading: Reading) => Promise<readonly ReadableTable[]>;
}

/** Is a table made from no other one, and has nothing to say of any? */
export const isBaseTable = (table: Table): boolean =>
  table.kind === "table" && sourceOf(table) === null && !ABOUT_TABLES.has(table.name);

/**
 * Of the engine's rows about other tables an actor sees those about tables they may view, and see all of. A table
 * or view made from others has nothing for them as soon as anything of those is hidden.
 */
export async function scopeOfDerived(rowhouse: Rowhouse, scoped: Scoped): Promise<ReadScope | null> {
  const { actor, database, table, readable } = scoped;
  const column = ABOUT_TABLES.get(table.name);
  if (column !== undefined) return rowsAboutOpen(rowhouse, scoped, column);
  const sources = await sourcesOf(rowhouse, scoped);
  if (sources.length === 0) return null;
  const shown = await readable({ actor, database, tables: sources });
  return shown.some(({ restricted }) => restricted) ? { table: table.name, where: "0" } : null;
}

async function rowsAboutOpen(
  rowhouse: Rowhouse,
  { actor, database, table, readable }: Scoped,
  column: string,
): Promise<ReadScope | null> {
  const all = [...(await database.schema()).tables.values()];
  const names = all.map(({ name }) => name);
  const allowed = await viewable(rowhouse, actor, database, names);
  const others = all.filter(({ name }) => !ABOUT_TABLES.has(name));
  const shown = isNarrowing(rowhouse) ? await readable({ actor, database, tables: others }) : [];
  const narrowed = new Set(shown.filter((one) => one.restricted).map((one) => one.table.name));
  const open = names.filter((name) => allowed.has(name) && !narrowed.has(name));
  if (open.length === names.length) return null;
  const params = Object.fromEntries(open.map((name, index) => [`name${index}`, name]));
  const listed = Object.keys(params).map((name) => `:${name}`);
  return { table: table.name, where: `${column} in (${listed.join(", ")})`, params };
}

/** What a table's rows are made from: a full-text table's content, a shadow's owner, the tables that a view reads. */
async function sourcesOf(rowhouse: Rowhouse, { database, table }: Scoped): Promise<readonly Table[]> {
  if (table.kind === "view") return isNarrowing(rowhouse) ? tablesOfView(database, table) : [];
  const source = sourceOf(table)?.toLowerCase();
  if (source === undefined) return [];
  return [...(await database.schema()).tables.values()].filter(({ name }) => name.toLowerCase() === source);
}

const readByViews = new WeakMap<Table, Promise<readonly Table[]>>();

/** The tables at the bottom of a view; all there are where that can't be told. */
export function tablesOfView(database: Database, view: Table): Promise<readonly Table[]> {
  const known = readByViews.get(view) ?? analysedTables(database, view);
  readByViews.set(view, known);
  return known;
}

async function analysedTables(database: Database, view: Table): Promise<readonly Table[]> {
  const { reads } = await database.analyse(`select * from ${quoteIdentifier(view.name)}`);
  const all = [...(await database.schema()).tables.values()].filter(({ kind }) => kind !== "view");
  return reads === null ? all : all.filter(({ name }) => reads.includes(name));
}
