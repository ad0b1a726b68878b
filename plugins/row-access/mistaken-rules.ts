import type { Database, Rowhouse, Table } from "rowhouse/plugin-api";
import type { ReadScope } from "rowhouse/plugin-api/contracts";
import { SqlFailed } from "rowhouse/plugin-api/errors";
import { findByName, isSameName, nearNames } from "rowhouse/plugin-api/names";

/** Rules are examined once. Plugins may make any number of them. */
const MOST_EXAMINED = 1000;
const examined = new WeakMap<Rowhouse, Set<string>>();

/**
 * Warns of a rule whose condition the engine rejects, which makes the table unreadable, and of one for a table or column
 * that does not exist, if a similar one does: it restricts nothing. Without a similar name, it may be a rule for another
 * database or for all tables.
 */
export function warnOfMistakes(rowhouse: Rowhouse, database: Database, scope: ReadScope): void {
  const done = examined.get(rowhouse) ?? new Set();
  const key = JSON.stringify([database.name, scope.table, scope.where, scope.hiddenColumns]);
  if (database.lastSchema === null || done.has(key) || done.size >= MOST_EXAMINED) return;
  examined.set(rowhouse, done.add(key));
  const warn = (what: string): void =>
    rowhouse.log.warn(`Plugin ${rowhouse.pluginOf(scope) ?? "with read_scope"} restricts ${what}`);
  const { tables } = database.lastSchema;
  const table = findByName(tables.values(), scope.table);
  if (table === undefined) {
    const [near] = nearNames(scope.table, tables.keys(), 1);
    return near === undefined ? undefined : warn(missing(`the table ${database.name}/${scope.table}`, near));
  }
  const columns = table.columns.map(({ name }) => name);
  for (const hidden of scope.hiddenColumns ?? []) {
    const [near] = columns.some((name) => isSameName(name, hidden)) ? [] : nearNames(hidden, columns, 1);
    if (near !== undefined) warn(missing(`the column ${hidden} of ${database.name}/${table.name}`, near));
  }
  void warnOfCondition(database, table, { scope, warn });
}

const missing = (what: string, near: string): string =>
  `${what}, which does not exist. Did you mean ${near}?`;

/** Lets the engine compile the condition. No row is read. */
async function warnOfCondition(
  database: Database,
  table: Table,
  { scope, warn }: { readonly scope: ReadScope; warn(what: string): void },
): Promise<void> {
  if (scope.where === undefined) return;
  const from = database.dialect.quoteIdentifier(table.name);
  try {
    await database.read(`select 1 from ${from} where (${scope.where}) limit 0`, scope.params);
  } catch (error) {
    if (!(error instanceof SqlFailed) || error.status !== 400) return;
    warn(`the rows of ${database.name}/${table.name} by a wrong condition: ${error.message}`);
  }
}
