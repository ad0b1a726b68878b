import { isObject, permissionChain, sqlTokens, visibleItems } from "rowhouse/plugin-api";
import type { Actor, Database, ReadScope, Rowhouse, Table } from "rowhouse/plugin-api";

const isTextList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

const SCOPE_CHECKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  table: (value) => typeof value === "string",
  where: (value) => typeof value === "string",
  params: (value) => typeof value === "object" && value !== null,
  hiddenColumns: isTextList,
  complete: (value) => typeof value === "boolean",
};

/** Rejects unknown keys: a misspelt key would hide nothing. */
export const isReadScope = (answer: unknown): boolean =>
  isObject(answer) &&
  "table" in answer &&
  Object.entries(answer).every(
    ([key, value]) => Object.hasOwn(SCOPE_CHECKS, key) && SCOPE_CHECKS[key]?.(value),
  ) &&
  hasAllParameters(answer as unknown as ReadScope);

/** Rejects parameters without a value: a value of the request could be bound to them. */
const hasAllParameters = ({ where = "", params = {} }: ReadScope): boolean =>
  sqlTokens(where).every(
    ({ kind, text }) =>
      kind !== "parameter" || (text.startsWith(":") && Object.hasOwn(params, text.slice(1))),
  );

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
