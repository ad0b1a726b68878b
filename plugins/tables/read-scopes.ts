import type { Actor, Database, ReadScope, Rowhouse, Table } from "rowhouse/plugin-api";

/** Who reads which tables. */
export interface Reading {
  readonly actor: Actor | null;
  readonly database: Database;
  readonly tables: readonly Table[];
}

/** Do plugins narrow anything at all? */
export const isNarrowing = (rowhouse: Rowhouse): boolean => rowhouse.hooks.read_scope.isUsed();

/** What plugins hide, by the table's name in lower case, as the engine compares names. */
export async function readScopes(
  rowhouse: Rowhouse,
  reading: Reading,
): Promise<ReadonlyMap<string, readonly ReadScope[]>> {
  const byTable = new Map<string, ReadScope[]>();
  if (!isNarrowing(rowhouse) || reading.tables.length === 0) return byTable;
  const tables = await asTheyAre(reading);
  for (const scope of await rowhouse.hooks.read_scope.promise([], rowhouse, { ...reading, tables })) {
    const name = scope.table.toLowerCase();
    byTable.set(name, [...(byTable.get(name) ?? []), scope]);
  }
  return byTable;
}

/** With all of their columns: what is asked about may have been narrowed before. */
async function asTheyAre({ database, tables }: Reading): Promise<readonly Table[]> {
  const schema = await database.schema();
  return tables.map((table) => schema.tables.get(table.name) ?? table);
}
