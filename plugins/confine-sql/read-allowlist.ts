import { attachedDatabases, permissionChain, visibleItems } from "rowhouse/plugin-api";
import type {
  Actor,
  Awaitable,
  CannedQuery,
  Confinement,
  Database,
  Rowhouse,
  Table,
} from "rowhouse/plugin-api";
import { hasOwnGrant, viewHasGrant } from "./view-grants.js";

/** What of a database an actor may read, and whether that leaves anything out. */
interface ReadableNames {
  readonly tables: ReadonlySet<string>;
  readonly views: ReadonlySet<string>;
  readonly isWhole: boolean;
}

/** Somebody's SQL on a database. */
interface SqlRequest {
  readonly actor: Actor | null;
  readonly database: Database;
}

/** Those of a database's tables and views that are open to an actor as such, plugins' narrowing aside. */
type OpenTables = (rowhouse: Rowhouse, asked: SqlRequest) => Awaitable<ReadableNames>;

/**
 * What an actor's SQL may read of a database and what is attached to it; null where that is everything. With
 * `confine_sql` that is what they may view; always it is without tables of which plugins hide a part.
 */
export function readAllowlist(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: Database,
): Awaitable<Confinement | null> {
  const open = rowhouse.setting("confine_sql") ? viewableTables : everyTable;
  // Nothing is to be found out where nothing can be hidden.
  if (open === everyTable && !hasReadScopes(rowhouse)) return null;
  return confinement(rowhouse, { actor, database }, open);
}

interface QueryRequest extends SqlRequest {
  readonly query: CannedQuery;
}

/**
 * The same for a canned query. One with a grant of its own may read what the actor may not view; what plugins
 * hide it may read only when its author vouches for it.
 */
export async function queryAllowlist(
  rowhouse: Rowhouse,
  { actor, database, query }: QueryRequest,
): Promise<Confinement | null> {
  const confined = await readAllowlist(rowhouse, actor, database);
  if (confined === null || query.unscoped === true) return null;
  const isGranted = await hasOwnGrant(rowhouse, {
    actor,
    action: "view-query",
    resource: [database.name, query.name],
    block: query,
  });
  if (!isGranted) return confined;
  return hasReadScopes(rowhouse) ? confinement(rowhouse, { actor, database }, everyTable) : null;
}

async function confinement(
  rowhouse: Rowhouse,
  asked: SqlRequest,
  open: OpenTables,
): Promise<Confinement | null> {
  const { actor, database } = asked;
  const own = await readableNames(rowhouse, asked, open);
  const attached = await Promise.all(
    attachedDatabases(rowhouse, database).map(
      async (other) => [other.name, await readableNames(rowhouse, { actor, database: other }, open)] as const,
    ),
  );
  if (own.isWhole && attached.every(([, { isWhole }]) => isWhole)) return null;
  return { ...own, attached: new Map(attached) };
}

const hasReadScopes = ({ hooks }: Rowhouse): boolean => hooks.read_scope.isUsed();

/** SQL can't be narrowed to some rows or columns: a table is read as a whole or not at all. */
async function readableNames(
  rowhouse: Rowhouse,
  asked: SqlRequest,
  open: OpenTables,
): Promise<ReadableNames> {
  const { actor, database } = asked;
  const share = await open(rowhouse, asked);
  const { tables } = await database.schema();
  const listed = [...share.tables].flatMap((name) => tables.get(name) ?? []);
  const readable = await rowhouse.service("tables").readableMany(actor, database, listed);
  const whole = namesOf(readable.filter(({ restricted }) => !restricted).map(({ table }) => table));
  return {
    tables: whole,
    views: new Set([...share.views].filter((name) => whole.has(name))),
    isWhole: share.isWhole && whole.size === listed.length,
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
