import { visibleItems, visibilityOf, permissionChain } from "rowhouse/plugin-api";
import type {
  Actor,
  Chain,
  Database,
  ListedTable,
  ReadableTable,
  Rowhouse,
  Schema,
  Table,
  CannedQuery,
} from "rowhouse/plugin-api";

/** A database, the actor it is listed for, and the questions that decide about each table in it. */
export interface ListingScope {
  readonly actor: Actor | null;
  readonly database: Database;
  readonly chainOf: (table: string) => Chain;
}

/** The tables and views of a database that somebody may view; both in catalogue order. */
export interface DatabaseContents {
  readonly schema: Schema;
  readonly tables: readonly VisibleTable[];
  /** Names. */
  readonly views: readonly string[];
  /** Both by name, as the visitor may know them. */
  readonly shown: ReadonlyMap<string, Table>;
}

export interface VisibleTable {
  /** Without columns that are hidden from the visitor. */
  readonly table: Table;
  readonly readable: ReadableTable;
  readonly hidden: boolean;
}

/** Asks about every table and view in one pass. */
export async function visibleContents(rowhouse: Rowhouse, listed: ListingScope): Promise<DatabaseContents> {
  const { actor, database, chainOf } = listed;
  const schema = await database.schema();
  const viewable = await visibleItems(rowhouse.permissions, actor, [...schema.tables.values()], ({ name }) =>
    chainOf(name),
  );
  const service = rowhouse.service("tables");
  const shown = await service.describable(actor, database, viewable);
  const tables: VisibleTable[] = [];
  const views: string[] = [];
  const byName = new Map<string, Table>();
  // One pass: the list of databases goes through thousands of tables.
  for (const readable of shown) {
    const { table } = readable;
    byName.set(table.name, table);
    if (table.kind === "view") views.push(table.name);
    else tables.push({ table, readable, hidden: service.isHidden(database.name, table) });
  }
  return { schema, tables, views, shown: byName };
}

/** Those of these tables and views, all visible to the actor, that anonymous may not view. */
export async function privateNames(
  rowhouse: Rowhouse,
  { actor, chainOf }: ListingScope,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (actor === null) return new Set();
  const open = new Set(await visibleItems(rowhouse.permissions, null, names, chainOf));
  return new Set(names.filter((name) => !open.has(name)));
}

/** What both documents say of a table before whatever each of them adds, in published order. */
export const listedTable = (
  { table, hidden }: VisibleTable,
  count: number | null,
): Omit<ListedTable, "private"> => ({
  name: table.name,
  columns: table.columns.map(({ name }) => name),
  primary_keys: table.primaryKeys,
  count,
  hidden,
  fts_table: table.fullText?.table ?? null,
});

/** Order of names by code point, whatever the language of the machine. */
export function compareNames(left: string, right: string): number {
  if (left === right) return 0;
  // Only beyond the first 65536 characters do code units stand in another order.
  if (SURROGATE.test(left) || SURROGATE.test(right)) {
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  }
  return left < right ? -1 : 1;
}

const SURROGATE = /[\ud800-\udfff]/;

export interface VisibleDatabase {
  readonly database: Database;
  readonly private: boolean;
}

/** The databases that somebody may view, in the order they are served. */
export async function visibleDatabases(
  rowhouse: Rowhouse,
  actor: Actor | null,
): Promise<readonly VisibleDatabase[]> {
  const databases = [...rowhouse.databases.values()].filter(({ internal }) => !internal);
  const answers = await visibilityOf(
    rowhouse.permissions,
    actor,
    databases.map(({ name }) => [["view-database", name]]),
  );
  return databases.flatMap((database, index) => {
    const answer = answers[index];
    return answer?.visible === true ? [{ database, private: answer.private }] : [];
  });
}

export interface VisibleQuery {
  readonly query: CannedQuery;
  readonly private: boolean;
}

/** The canned queries that somebody may view, in configured order; none where no plugin provides queries. */
export async function visibleQueries(
  rowhouse: Rowhouse,
  { actor, database }: { readonly actor: Actor | null; readonly database: Database },
): Promise<readonly VisibleQuery[]> {
  const all = await rowhouse.serviceIfAny("queries")?.cannedQueries(database.name, actor);
  const queries = [...(all?.values() ?? [])];
  const chains = queries.map((query) => permissionChain({ database, query }));
  const answers = await visibilityOf(rowhouse.permissions, actor, chains);
  return queries.flatMap((query, index) => {
    const answer = answers[index];
    return answer?.visible === true ? [{ query, private: answer.private }] : [];
  });
}
