import {
  permissionChain,
  visibleItems,
  type Actor,
  type Database,
  type Rowhouse,
  type Table,
} from "rowhouse/plugin-api";
import type { ReadScope } from "rowhouse/plugin-api/contracts";

/** The tables that an actor is about to read. */
export interface ReadRequest {
  readonly actor: Actor | null;
  readonly database: Database;
  readonly tables: readonly Table[];
}

/** True if any plugin taps `read_scope`. */
export const hasReadScopes = (rowhouse: Rowhouse): boolean => rowhouse.hooks.read_scope.isUsed();

/** The restrictions of all plugins by lower-case table name, since SQLite compares names case-insensitively. */
export async function readScopes(
  rowhouse: Rowhouse,
  reading: ReadRequest,
): Promise<ReadonlyMap<string, readonly ReadScope[]>> {
  const byTable = new Map<string, ReadScope[]>();
  if (!hasReadScopes(rowhouse) || reading.tables.length === 0) return byTable;
  const tables = await withAllColumns(reading);
  for (const scope of await rowhouse.hooks.read_scope.promise([], rowhouse, { ...reading, tables })) {
    const name = scope.table.toLowerCase();
    byTable.set(name, [...(byTable.get(name) ?? []), scope]);
  }
  return byTable;
}

/** The tables of the schema, with all columns: the given ones may be restricted copies. */
async function withAllColumns({ database, tables }: ReadRequest): Promise<readonly Table[]> {
  const schema = await database.schema();
  return tables.map((table) => schema.tables.get(table.name) ?? table);
}

/** The tables that the actor may view. Tables that do not exist count as viewable. */
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
