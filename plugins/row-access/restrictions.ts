import {
  permissionChain,
  visibleItems,
  type Actor,
  type Awaitable,
  type Database,
  type Opinion,
  type Resource,
  type Rowhouse,
  type Schema,
  type Table,
} from "rowhouse/plugin-api";
import { isPrivateTable, NameMap } from "rowhouse/plugin-api/names";
import { isCatalogueName, meaningful, sqlTokens, unquote } from "rowhouse/plugin-api/sql";
import type { PermissionChecks } from "rowhouse/plugin-api/access";
import type { ReadableTable, ReadScope } from "rowhouse/plugin-api/contracts";
import { warnOfMistakes } from "./mistaken-rules.js";

/** An actor who reads tables of a database. */
export interface Reader {
  readonly rowhouse: Rowhouse;
  readonly actor: Actor | null;
  readonly database: Database;
}

/** True if any plugin taps `read_scope`. */
export const hasReadScopes = (rowhouse: Rowhouse): boolean => rowhouse.hooks.read_scope.isUsed();

/**
 * The restrictions of all plugins by table. One for `Notes` applies to `notes` too, unless there is a table `Notes`:
 * PostgreSQL can have both.
 */
export async function readScopes(
  { rowhouse, actor, database }: Reader,
  tables: readonly Table[],
): Promise<NameMap<ReadScope>> {
  if (!hasReadScopes(rowhouse) || tables.length === 0) return new NameMap<ReadScope>([]);
  const whole = await withAllColumns(database, tables);
  const scopes = await rowhouse.hooks.read_scope.promise([], rowhouse, { actor, database, tables: whole });
  for (const scope of scopes) warnOfMistakes(rowhouse, database, scope);
  return new NameMap(
    scopes.map((scope) => [scope.table, scope] as const),
    (name) => database.lastSchema?.tables.has(name) === true,
  );
}

/** The tables of the schema, with all columns: the given ones may be restricted copies. */
async function withAllColumns(database: Database, tables: readonly Table[]): Promise<readonly Table[]> {
  const schema = await database.schema();
  return tables.map((table) => schema.tables.get(table.name) ?? table);
}

/** The tables that the actor may view. Tables that do not exist count as viewable. */
export async function viewable(
  { rowhouse, actor, database }: Reader,
  tables: readonly string[],
): Promise<ReadonlySet<string>> {
  if (tables.length === 0) return new Set();
  const visible = await visibleItems(rowhouse.permissions, actor, [...new Set(tables)], (table) =>
    permissionChain({ database, table }),
  );
  return new Set(visible);
}

/**
 * Denies `view-table` on private tables of plugins, and on tables derived from a table that the actor may not view. A
 * full-text table contains the words of its content table, a shadow table those of its virtual table. Has no opinion on
 * other tables, and answers synchronously if none of them is derived.
 */
export function tableOpinions(
  rowhouse: Rowhouse,
  checks: PermissionChecks,
): Awaitable<readonly (Opinion | null)[] | null> {
  if (checks.action !== "view-table") return null;
  const databases = databasesOf(rowhouse, checks.resources);
  // The schema is missing only until it is first read.
  const unknown = databases.filter(({ lastSchema }) => lastSchema === null);
  if (unknown.length > 0)
    return Promise.all(unknown.map((one) => one.schema())).then(() => sourceOpinions(rowhouse, checks));
  return sourceOpinions(rowhouse, checks);
}

function sourceOpinions(
  rowhouse: Rowhouse,
  { actor, resources }: PermissionChecks,
): Awaitable<readonly (Opinion | null)[] | null> {
  const made = resources.map((resource) => derivedTable(rowhouse, resource));
  const found = made.filter((one) => one !== null);
  if (found.length === 0) return resources.some(isPrivate) ? resources.map(privateOpinion) : null;
  return visibleItems(rowhouse.permissions, actor, found, ({ database, source }) =>
    permissionChain({ database, table: source }),
  ).then((open) =>
    made.map((one, index) =>
      one === null || open.includes(one)
        ? privateOpinion(resources[index] ?? null)
        : deniedWithSource(one.source),
    ),
  );
}

const isPrivate = (resource: Resource): boolean =>
  resource !== null && typeof resource !== "string" && isPrivateTable(resource[1]);

const privateOpinion = (resource: Resource): Opinion | null =>
  isPrivate(resource) ? { allowed: false, because: "the table holds what a plugin stores for itself" } : null;

function derivedTable({ databases }: Rowhouse, resource: Resource): DerivedTable | null {
  if (resource === null || typeof resource === "string") return null;
  const [database, name] = resource;
  const schema = databases.get(database)?.lastSchema ?? null;
  const source = schema === null ? undefined : sourcesIn(schema).get(name);
  return source === undefined ? null : { database, source };
}

interface DerivedTable {
  readonly database: string;
  readonly source: string;
}

function databasesOf({ databases }: Rowhouse, resources: readonly Resource[]): readonly Database[] {
  const names = new Set<string>();
  for (const resource of resources) {
    if (resource !== null && typeof resource !== "string") names.add(resource[0]);
  }
  return [...names].map((name) => databases.get(name)).filter((one) => one !== undefined);
}

const sourcesBySchema = new WeakMap<Schema, ReadonlyMap<string, string>>();

/** Derived tables, each with its source table. */
function sourcesIn(schema: Schema): ReadonlyMap<string, string> {
  const known = sourcesBySchema.get(schema);
  if (known !== undefined) return known;
  const { tables } = schema;
  const names = new Map([...tables.keys()].map((name) => [name.toLowerCase(), name]));
  const all = new Map<string, string>();
  for (const table of tables.values()) {
    const source = sourceOf(table);
    if (source === null) continue;
    all.set(table.name, tables.has(source) ? source : (names.get(source.toLowerCase()) ?? source));
  }
  const sources = new Map([...all].filter(([name]) => !isOwnSource(all, name)));
  sourcesBySchema.set(schema, sources);
  return sources;
}

/** True if the sources of a table lead back to it, as those of two full-text tables can. No table has its content. */
function isOwnSource(sources: ReadonlyMap<string, string>, name: string): boolean {
  const passed = new Set<string>();
  for (let at = sources.get(name); at !== undefined && !passed.has(at); at = sources.get(at)) {
    if (at === name) return true;
    passed.add(at);
  }
  return false;
}

/** The source of a full-text or shadow table; null for other tables. */
function sourceOf(table: Table | undefined): string | null {
  if (table === undefined) return null;
  return table.shadowOf ?? (table.module === null ? null : virtualSource(table));
}

/** The table whose content or full-text index a virtual table exposes. */
function virtualSource({ module, sql, fullText }: Table): string | null {
  if (module !== "fts5vocab" && module !== "fts4aux") return fullText?.contentTable ?? null;
  const tokens = meaningful(sqlTokens(sql ?? ""));
  const names = tokens
    .slice(tokens.findIndex(({ text }) => text === "(") + 1)
    .filter(({ kind }) => kind === "word" || kind === "name" || kind === "text")
    .map(({ text }) => unquote(text));
  // An optional database name comes first. Only fts5vocab has a second argument, the kind of list.
  const atMost = module === "fts5vocab" ? 2 : 1;
  return names[names.length > atMost ? 1 : 0] ?? null;
}

const deniedWithSource = (source: string): Opinion => ({
  allowed: false,
  because: `made from ${source}, which may not be viewed`,
});

/** SQLite's own tables whose rows describe other tables, with the column that contains the table name. */
const CATALOGUE_TABLES: ReadonlyMap<string, string> = new Map([
  ["sqlite_sequence", "name"],
  ["sqlite_stat1", "tbl"],
  ["sqlite_stat2", "tbl"],
  ["sqlite_stat3", "tbl"],
  ["sqlite_stat4", "tbl"],
]);

/** Restricts the tables from which another one is derived, for the same actor. */
export type ReadableSources = (sources: readonly Table[]) => Promise<readonly ReadableTable[]>;

/** True if a table is not derived from another table and does not describe other tables. */
export const isBaseTable = (table: Table): boolean =>
  table.kind === "table" && sourceOf(table) === null && !CATALOGUE_TABLES.has(table.name);

/**
 * The restriction of a derived table. In SQLite's own tables, an actor sees the rows about tables that they may read
 * without restriction. Any other derived table or view is empty for actors from whom part of a source is hidden.
 */
export async function derivedScope(
  reader: Reader,
  table: Table,
  readable: ReadableSources,
): Promise<ReadScope | null> {
  const column = CATALOGUE_TABLES.get(table.name);
  if (column !== undefined) return rowsAboutVisibleTables(reader, { table: table.name, column }, readable);
  const sources = await sourcesOf(reader, table);
  if (sources.length === 0) return null;
  const shown = await readable(sources);
  if (shown.every(({ restricted }) => !restricted)) return null;
  const visible = new Set(shown.flatMap((one) => one.table.columns.map(({ name }) => name.toLowerCase())));
  const all = sources.flatMap(({ columns }) => columns.map(({ name }) => name.toLowerCase()));
  // A full-text table has the column names of its content.
  return {
    table: table.name,
    where: reader.database.dialect.never,
    hiddenColumns: all.filter((name) => !visible.has(name)),
  };
}

async function rowsAboutVisibleTables(
  reader: Reader,
  { table, column }: { readonly table: string; readonly column: string },
  readable: ReadableSources,
): Promise<ReadScope | null> {
  const all = [...(await reader.database.schema()).tables.values()];
  const names = all.map(({ name }) => name);
  const allowed = await viewable(reader, names);
  // The rows are about tables and indexes, not about views.
  const others = all.filter(({ name, kind }) => kind !== "view" && !CATALOGUE_TABLES.has(name));
  const shown = hasReadScopes(reader.rowhouse) ? await readable(others) : [];
  const restricted = new Set(shown.filter((one) => one.restricted).map((one) => one.table.name));
  const open = names.filter((name) => allowed.has(name) && !restricted.has(name));
  if (open.length === names.length) return null;
  const params = Object.fromEntries(open.map((name, index) => [`name${index}`, name]));
  const listed = Object.keys(params).map((name) => `:${name}`);
  return { table, where: `${column} in (${listed.join(", ")})`, params };
}

/** The source tables of a table: a full-text table's content, a shadow table's owner, the tables that a view reads. */
async function sourcesOf({ rowhouse, database }: Reader, table: Table): Promise<readonly Table[]> {
  if (table.kind === "view") return hasReadScopes(rowhouse) ? tablesOfView(database, table) : [];
  const source = sourceOf(table)?.toLowerCase();
  if (source === undefined) return [];
  // The table comes from this schema or an older one.
  const { tables } = database.lastSchema ?? (await database.schema());
  return [...tables.values()].filter(({ name }) => name.toLowerCase() === source);
}

const tablesByView = new WeakMap<Table, Promise<readonly Table[]>>();

/** The base tables that a view reads; all tables of the database if it describes them or the engine can't tell. */
export function tablesOfView(database: Database, view: Table): Promise<readonly Table[]> {
  const known = tablesByView.get(view);
  if (known !== undefined) return known;
  const found = analysedTables(database, view);
  tablesByView.set(view, found);
  // The database may be unavailable for a moment only.
  found.catch(() => tablesByView.delete(view));
  return found;
}

async function analysedTables(database: Database, view: Table): Promise<readonly Table[]> {
  const { reads } = await database.analyse(`select * from ${database.dialect.quoteIdentifier(view.name)}`);
  const all = [...(await database.schema()).tables.values()].filter(({ kind }) => kind !== "view");
  return reads === null || reads.some(isCatalogueName) ? all : all.filter(({ name }) => reads.includes(name));
}
