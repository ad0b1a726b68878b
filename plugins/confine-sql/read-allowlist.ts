import {
  permissionChain,
  visibleItems,
  type Actor,
  type Awaitable,
  type Database,
  type Rowhouse,
  type Table,
} from "rowhouse/plugin-api";
import { attachedDatabases } from "rowhouse/plugin-api/sql";
import type { CannedQuery } from "rowhouse/plugin-api/contracts";
import type { ReadAllowlist } from "rowhouse/plugin-api/engine";
import { hasOwnGrant, viewHasGrant } from "./view-grants.js";

/** The names that an actor may read in a database, and whether that is everything. */
interface ReadableNames {
  readonly tables: ReadonlySet<string>;
  readonly views: ReadonlySet<string>;
  readonly isWhole: boolean;
}

/** SQL of an actor on a database. */
interface SqlRequest {
  readonly actor: Actor | null;
  readonly database: Database;
}

/** Selects the tables and views that an actor may read, before restrictions of plugins are applied. */
type SelectTables = (rowhouse: Rowhouse, request: SqlRequest) => Awaitable<ReadableNames>;

/**
 * What an actor's SQL may read of a database and its attached databases; null for everything. With `confine_sql`
 * these are the tables that the actor may view. Tables with a read restriction are always excluded.
 */
export function readAllowlist(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: Database,
): Awaitable<ReadAllowlist | null> {
  const select = rowhouse.setting("confine_sql") ? viewableTables : everyTable;
  // Nothing can be hidden, so no checks are needed.
  if (select === everyTable && !hasReadScopes(rowhouse)) return null;
  return buildAllowlist(rowhouse, { actor, database }, select);
}

interface QueryRequest extends SqlRequest {
  readonly query: CannedQuery;
}

/**
 * The same for a canned query. A query with a grant of its own may read tables that the actor may not view. Only
 * queries marked `unscoped` may read tables with a read restriction.
 */
export async function queryAllowlist(
  rowhouse: Rowhouse,
  { actor, database, query }: QueryRequest,
): Promise<ReadAllowlist | null> {
  const allowlist = await readAllowlist(rowhouse, actor, database);
  if (allowlist === null || query.unscoped === true) return null;
  const isGranted = await hasOwnGrant(rowhouse, {
    actor,
    action: "view-query",
    resource: [database.name, query.name],
    block: query,
  });
  if (!isGranted) return allowlist;
  return hasReadScopes(rowhouse) ? buildAllowlist(rowhouse, { actor, database }, everyTable) : null;
}

async function buildAllowlist(
  rowhouse: Rowhouse,
  request: SqlRequest,
  select: SelectTables,
): Promise<ReadAllowlist | null> {
  const { actor, database } = request;
  const own = await readableNames(rowhouse, request, select);
  const attached = await Promise.all(
    attachedDatabases(rowhouse, database).map(
      async (other) =>
        [other.name, await readableNames(rowhouse, { actor, database: other }, select)] as const,
    ),
  );
  if (own.isWhole && attached.every(([, { isWhole }]) => isWhole)) return null;
  return { ...own, attached: new Map(attached) };
}

const hasReadScopes = ({ hooks }: Rowhouse): boolean => hooks.read_scope.isUsed();

/** SQL can read a table completely or not at all, so tables with hidden rows or columns are excluded. */
async function readableNames(
  rowhouse: Rowhouse,
  request: SqlRequest,
  select: SelectTables,
): Promise<ReadableNames> {
  const { actor, database } = request;
  const selected = await select(rowhouse, request);
  const { tables } = await database.schema();
  const listed = [...selected.tables].flatMap((name) => tables.get(name) ?? []);
  const readable = await rowhouse.service("rowAccess").readableMany(actor, database, listed);
  const whole = namesOf(readable.filter(({ restricted }) => !restricted).map(({ table }) => table));
  return {
    tables: whole,
    views: new Set([...selected.views].filter((name) => whole.has(name))),
    isWhole: selected.isWhole && whole.size === listed.length,
  };
}

async function everyTable(_rowhouse: Rowhouse, { database }: SqlRequest): Promise<ReadableNames> {
  const all = [...(await database.schema()).tables.values()];
  return { tables: namesOf(all), views: namesOf(all.filter(isView)), isWhole: true };
}

async function viewableTables(rowhouse: Rowhouse, { actor, database }: SqlRequest): Promise<ReadableNames> {
  const all = [...(await database.schema()).tables.values()];
  const visible = await visibleItems(rowhouse.permissions, actor, all, ({ name }) =>
    permissionChain({ database, table: name }),
  );
  const granted: Table[] = [];
  for (const view of visible.filter(isView)) {
    if (await viewHasGrant(rowhouse, actor, database, view)) granted.push(view);
  }
  return { tables: namesOf(visible), views: namesOf(granted), isWhole: visible.length === all.length };
}

const isView = ({ kind }: Table): boolean => kind === "view";
const namesOf = (tables: readonly Table[]): ReadonlySet<string> => new Set(tables.map(({ name }) => name));
