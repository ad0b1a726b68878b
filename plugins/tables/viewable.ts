import type { Actor, Chain, Database, Rowhouse } from "rowhouse/plugin-api";

/** What is asked before anybody sees a table, most specific first. */
export const viewTableChain = (database: string, table: string): Chain => [
  ["view-table", [database, table]],
  ["view-database", database],
  ["view-instance", null],
];

/** Those of these tables which the actor may view. One that does not exist counts as viewable: it has nothing to hide. */
export async function viewable(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: Database,
  tables: readonly string[],
): Promise<ReadonlySet<string>> {
  if (tables.length === 0) return new Set();
  const visible = await rowhouse.visibleAmong(actor, [...new Set(tables)], (name) =>
    viewTableChain(database.name, name),
  );
  return new Set(visible);
}
