import { permissionChain, visibleItems } from "rowhouse/plugin-api";
import type { Actor, Database, Rowhouse } from "rowhouse/plugin-api";

/** Those of these tables which the actor may view. One that does not exist counts as viewable: it has nothing to hide. */
export async function viewable(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: Database,
  tables: readonly string[],
): Promise<ReadonlySet<string>> {
  if (tables.length === 0) return new Set();
  const visible = await visibleItems(rowhouse.permissions, actor, [...new Set(tables)], (table) =>
    permissionChain({ database, table }),
  );
  return new Set(visible);
}
