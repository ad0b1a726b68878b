import { permissionChain, visibilityOf } from "rowhouse/plugin-api";
import type { Chain, Database, Rowhouse, Visit } from "rowhouse/plugin-api";

// Beyond this, asking costs more than the page is likely to.
const MOST_RESOURCES = 200;

/**
 * What other people's permission plugins answer now about everything a page may show or leave out, to this visitor
 * and to strangers: their answers may change although nothing else does.
 *
 * @returns null where that can't be told
 */
export async function permissionFacts(
  rowhouse: Rowhouse,
  visit: Visit,
  databases: readonly Database[],
): Promise<readonly unknown[] | null> {
  if (!rowhouse.plugins.some(decides)) return [];
  // Menus ask about any action.
  const [database, ...others] = databases;
  if (visit.format === "html" || database === undefined || others.length > 0) return null;
  const lists = await chainsOf(rowhouse, visit, database);
  if (lists.flat().length > MOST_RESOURCES) return null;
  return Promise.all([
    ...lists.map((chains) => visibilityOf(rowhouse.permissions, visit.actor, chains)),
    rowhouse.permissions.allowed(visit.actor, "execute-sql", database.name),
  ]);
}

const decides = ({ bundled, hooks }: Rowhouse["plugins"][number]): boolean =>
  !bundled && hooks.some((hook) => hook.startsWith("permission_allowed"));

/** The questions about a database, its tables and its queries: lists of one form each. */
async function chainsOf(
  rowhouse: Rowhouse,
  { actor }: Visit,
  database: Database,
): Promise<readonly (readonly Chain[])[]> {
  const { tables } = await database.schema();
  const queries = (await rowhouse.serviceIfAny("queries")?.cannedQueries(database.name, actor)) ?? new Map();
  return [
    [permissionChain({ database })],
    [...tables.keys()].map((table) => permissionChain({ database, table })),
    [...queries.keys()].map((query) => permissionChain({ database, query })),
  ];
}
