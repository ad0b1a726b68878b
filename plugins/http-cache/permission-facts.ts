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
    ...lists.map((chains) => rowhouse.visibilityMany(visit.actor, chains)),
    rowhouse.allowed(visit.actor, "execute-sql", database.name),
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
  const { name } = database;
  const base: Chain = [
    ["view-database", name],
    ["view-instance", null],
  ];
  const { tables } = await database.schema();
  const queries = (await rowhouse.serviceIfAny("queries")?.cannedQueries(name, actor)) ?? new Map();
  return [
    [base],
    [...tables.keys()].map((table): Chain => [["view-table", [name, table]], ...base]),
    [...queries.keys()].map((query): Chain => [["view-query", [name, query]], ...base]),
  ];
}
