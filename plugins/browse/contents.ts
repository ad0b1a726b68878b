import {
  visibleItems,
  permissionChain,
  type Actor,
  type Chain,
  type Database,
  type Rowhouse,
  type Schema,
  type Table,
} from "rowhouse/plugin-api";
import { TimeSlices } from "rowhouse/plugin-api/http";
import { visibilityOf } from "rowhouse/plugin-api/access";
import type { ListedTable, ReadableTable, CannedQuery } from "rowhouse/plugin-api/contracts";

/** A database, the actor it is listed for, and the permission chain for each of its tables. */
export interface ListingScope {
  readonly actor: Actor | null;
  readonly database: Database;
  readonly chainOf: (table: string) => Chain;
  /** When the request was received: the schema of this time or later is shown. Without it, that of the call. */
  readonly sinceMs?: number;
}

/** The tables and views of a database that an actor may view, in catalogue order. */
export interface DatabaseContents {
  readonly schema: Schema;
  readonly tables: readonly VisibleTable[];
  /** Names. */
  readonly views: readonly string[];
  /** Tables and views by name, redacted for the actor. */
  readonly shown: ReadonlyMap<string, Table>;
}

export interface VisibleTable {
  /** Without columns that are hidden from the actor. */
  readonly table: Table;
  readonly readable: ReadableTable;
  readonly hidden: boolean;
}

/** Checks the permissions of all tables and views at once. */
export async function visibleContents(rowhouse: Rowhouse, listed: ListingScope): Promise<DatabaseContents> {
  const { actor, database, chainOf, sinceMs } = listed;
  const slices = new TimeSlices();
  const schema = await database.schema(sinceMs);
  // Several databases are listed at the same time.
  await slices.nextIfOver();
  const viewable = await visibleItems(rowhouse.permissions, actor, [...schema.tables.values()], ({ name }) =>
    chainOf(name),
  );
  const service = rowhouse.service("tables");
  const shown = await rowhouse.service("rowAccess").describable(actor, database, viewable);
  const tables: VisibleTable[] = [];
  const views: string[] = [];
  const byName = new Map<string, Table>();
  // A single loop, because the list of databases may contain thousands of tables.
  for (const readable of shown) {
    const { table } = readable;
    byName.set(table.name, table);
    if (table.kind === "view") views.push(table.name);
    else tables.push({ table, readable, hidden: service.isHidden(database.name, table) });
  }
  return { schema, tables, views, shown: byName };
}

/** The names that the actor may view but anonymous clients may not. */
export async function privateNames(
  rowhouse: Rowhouse,
  { actor, chainOf }: ListingScope,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (actor === null) return new Set();
  const open = new Set(await visibleItems(rowhouse.permissions, null, names, chainOf));
  return new Set(names.filter((name) => !open.has(name)));
}

/** The keys that both documents publish for a table, in published order. */
export const listedTable = (
  { table, hidden }: VisibleTable,
  count: number | null,
  estimate: number | null = null,
): Omit<ListedTable, "private"> => ({
  name: table.name,
  columns: table.columns.map(({ name }) => name),
  primary_keys: table.primaryKeys,
  count: count ?? estimate,
  ...(count === null && estimate !== null && { count_estimated: true as const }),
  hidden,
  fts_table: table.fullText?.table ?? null,
});

/** Compares names by code point, independent of the locale. */
export function compareNames(left: string, right: string): number {
  if (left === right) return 0;
  // Code units and code points sort differently only for characters beyond U+FFFF.
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

/** The databases that an actor may view, in the order they are served. */
export async function visibleDatabases(
  rowhouse: Rowhouse,
  actor: Actor | null,
): Promise<readonly VisibleDatabase[]> {
  const databases = [...rowhouse.databases.values()].filter(({ internal }) => !internal);
  const visibilities = await visibilityOf(
    rowhouse.permissions,
    actor,
    databases.map(({ name }) => [["view-database", name]]),
  );
  return databases.flatMap((database, index) => {
    const visibility = visibilities[index];
    return visibility?.visible === true ? [{ database, private: visibility.private }] : [];
  });
}

export interface VisibleQuery {
  readonly query: CannedQuery;
  readonly private: boolean;
}

/** The canned queries that an actor may view, in configured order; none if no plugin provides queries. */
export async function visibleQueries(
  rowhouse: Rowhouse,
  { actor, database }: { readonly actor: Actor | null; readonly database: Database },
): Promise<readonly VisibleQuery[]> {
  const all = await rowhouse.serviceIfAny("queries")?.cannedQueries(database.name, actor);
  const queries = [...(all?.values() ?? [])];
  const chains = queries.map((query) => permissionChain({ database, query }));
  const visibilities = await visibilityOf(rowhouse.permissions, actor, chains);
  return queries.flatMap((query, index) => {
    const visibility = visibilities[index];
    return visibility?.visible === true ? [{ query, private: visibility.private }] : [];
  });
}
