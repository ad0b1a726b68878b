import { sqlTokens } from "rowhouse/plugin-api";
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
    requireScope(scope);
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

/** An answer that can't be understood might hide nothing; so nothing is shown. */
function requireScope({ table, where, params = {}, hiddenColumns = [] }: ReadScope): void {
  const isWellFormed =
    typeof table === "string" &&
    (where === undefined || typeof where === "string") &&
    Array.isArray(hiddenColumns) &&
    hiddenColumns.every((name) => typeof name === "string");
  if (!isWellFormed) throw new TypeError("read_scope: an answer has a table, and text for where and columns");
  for (const { kind, text } of sqlTokens(where ?? "")) {
    // A parameter without a value would be filled by whatever the request brings along.
    if (kind === "parameter" && !(text.startsWith(":") && Object.hasOwn(params, text.slice(1)))) {
      throw new TypeError(`read_scope: ${table}: the parameter ${text} has no value`);
    }
  }
}
