import { objectOf, objectWith, sqlTokens, permissionChain, visibleItems } from "rowhouse/plugin-api";
import type { HookSpec, ReadScope, Actor, Database, Rowhouse, Table } from "rowhouse/plugin-api";

const isTextList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

const SCOPE_CHECKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  table: (value) => typeof value === "string",
  where: (value) => typeof value === "string",
  params: (value) => typeof value === "object" && value !== null,
  hiddenColumns: isTextList,
  complete: (value) => typeof value === "boolean",
};

/** A misspelt key would hide nothing: such an answer refuses the request. */
const isReadScope = (answer: unknown): boolean =>
  typeof answer === "object" &&
  answer !== null &&
  "table" in answer &&
  Object.entries(answer).every(
    ([key, value]) => Object.hasOwn(SCOPE_CHECKS, key) && SCOPE_CHECKS[key]?.(value),
  ) &&
  hasAllParameters(answer as ReadScope);

/** A parameter without a value would be filled by whatever the request brings along. */
const hasAllParameters = ({ where = "", params = {} }: ReadScope): boolean =>
  sqlTokens(where).every(
    ({ kind, text }) =>
      kind !== "parameter" || (text.startsWith(":") && Object.hasOwn(params, text.slice(1))),
  );

/** The hooks of tables, by name. */
export const tableHooks: Readonly<Record<string, HookSpec>> = {
  filters_from_request: {
    kind: "collect",
    expects: objectWith("a filter with where, params and description", { where: "string" }),
  },
  extend_table: { kind: "collect", expects: objectOf("an object with data or context") },
  read_scope: {
    kind: "collect",
    enforces: true,
    expects: {
      what: "an object with table, where, params for each of its parameters, hiddenColumns or complete, and nothing else",
      is: isReadScope,
    },
  },
};

/** Who reads which tables. */
export interface ReadRequest {
  readonly actor: Actor | null;
  readonly database: Database;
  readonly tables: readonly Table[];
}

/** Do plugins narrow anything at all? */
export const hasReadScopes = (rowhouse: Rowhouse): boolean => rowhouse.hooks.read_scope.isUsed();

/** What plugins hide, by the table's name in lower case, as the engine compares names. */
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

/** With all of their columns: what is asked about may have been narrowed before. */
async function withAllColumns({ database, tables }: ReadRequest): Promise<readonly Table[]> {
  const schema = await database.schema();
  return tables.map((table) => schema.tables.get(table.name) ?? table);
}

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
