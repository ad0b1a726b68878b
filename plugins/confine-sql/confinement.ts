import { attachedDatabases } from "rowhouse/plugin-api";
import type { Actor, CannedQuery, Confinement, Database, Rowhouse, Table } from "rowhouse/plugin-api";
import { hasOwnGrant } from "./own-grant.js";
import { viewChain, viewHasGrant } from "./views.js";

/** What of a database an actor may read, and whether that leaves anything out. */
interface Share {
  readonly tables: ReadonlySet<string>;
  readonly views: ReadonlySet<string>;
  readonly isWhole: boolean;
}

/** What an actor's SQL may read of a database and what is attached to it; null where that is everything. */
export async function confinementOf(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: Database,
): Promise<Confinement | null> {
  if (!rowhouse.setting("confine_sql")) return null;
  const own = await shareOf(rowhouse, actor, database);
  const attached = await Promise.all(
    attachedDatabases(rowhouse, database).map(
      async (other) => [other.name, await shareOf(rowhouse, actor, other)] as const,
    ),
  );
  if (own.isWhole && attached.every(([, { isWhole }]) => isWhole)) return null;
  return { ...own, attached: new Map(attached) };
}

interface QueryAsked {
  readonly actor: Actor | null;
  readonly database: Database;
  readonly query: CannedQuery;
}

/** The same for a canned query, which with a grant of its own may read everything. */
export async function confinementOfQuery(
  rowhouse: Rowhouse,
  { actor, database, query }: QueryAsked,
): Promise<Confinement | null> {
  const confinement = await confinementOf(rowhouse, actor, database);
  if (confinement === null) return null;
  const isGranted = await hasOwnGrant(rowhouse, {
    actor,
    action: "view-query",
    resource: [database.name, query.name],
    block: query,
  });
  return isGranted ? null : confinement;
}

async function shareOf(rowhouse: Rowhouse, actor: Actor | null, database: Database): Promise<Share> {
  const all = [...(await database.schema()).tables.values()];
  const answers = await rowhouse.visibilityMany(
    actor,
    all.map(({ name }) => viewChain(database.name, name)),
  );
  const visible = all.filter((_, index) => answers[index]?.visible === true);
  const tables = new Set<string>();
  const views = new Set<string>();
  for (const table of visible) {
    if (!(await isWholly(rowhouse, actor, database, table))) continue;
    tables.add(table.name);
    if (table.kind === "view" && (await viewHasGrant(rowhouse, actor, database, table)))
      views.add(table.name);
  }
  return { tables, views, isWhole: tables.size === all.length };
}

/** SQL can't be narrowed to some rows or columns: a table is read as a whole or not at all. */
async function isWholly(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: Database,
  table: Table,
): Promise<boolean> {
  const hook = rowhouse.hooks.read_scope;
  if (!hook.isUsed()) return true;
  return (await hook.promise([], rowhouse, { actor, database, table })).length === 0;
}
