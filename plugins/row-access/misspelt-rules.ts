import type { Database, Rowhouse } from "rowhouse/plugin-api";
import type { ReadScope } from "rowhouse/plugin-api/contracts";
import { isSameName, nearNames } from "rowhouse/plugin-api/names";

/** Rules are examined once. Plugins may make any number of them. */
const MOST_EXAMINED = 1000;
const examined = new WeakMap<Rowhouse, Set<string>>();

/**
 * Warns of a rule for a table or column that does not exist, if a similar one does: the rule restricts nothing. Without
 * a similar name, it may be a rule for another database or for all tables.
 */
export function warnIfMisspelt(rowhouse: Rowhouse, database: Database, scope: ReadScope): void {
  const { hiddenColumns = [] } = scope;
  const done = examined.get(rowhouse) ?? new Set();
  const key = JSON.stringify([database.name, scope.table, ...hiddenColumns]);
  if (database.lastSchema === null || done.has(key) || done.size >= MOST_EXAMINED) return;
  examined.set(rowhouse, done.add(key));
  const { tables } = database.lastSchema;
  const warn = (what: string, near: string | undefined): void => {
    if (near === undefined) return;
    const plugin = rowhouse.pluginOf(scope) ?? "with read_scope";
    rowhouse.log.warn(`Plugin ${plugin} restricts ${what}, which does not exist. Did you mean ${near}?`);
  };
  const table = [...tables.values()].find(({ name }) => isSameName(name, scope.table));
  if (table === undefined)
    return warn(`the table ${database.name}/${scope.table}`, nearNames(scope.table, tables.keys(), 1)[0]);
  const columns = table.columns.map(({ name }) => name);
  for (const hidden of hiddenColumns) {
    if (columns.some((name) => isSameName(name, hidden))) continue;
    warn(`the column ${hidden} of ${database.name}/${table.name}`, nearNames(hidden, columns, 1)[0]);
  }
}
