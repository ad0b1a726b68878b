import type { FilterClause } from "rowhouse/plugin-api/contracts";
import type { Database, Rowhouse, Table } from "rowhouse/plugin-api";
import { PluginError, SqlFailed } from "rowhouse/plugin-api/errors";

/** The conditions of a page whose statement the engine rejected. */
interface Rejected {
  readonly database: Database;
  readonly table: Table;
  readonly clauses: readonly FilterClause[];
}

/**
 * Logs the plugins whose conditions the engine rejects. The client gets the message of the engine, which names no plugin.
 *
 * @param error the error of the page; others than rejected SQL are ignored
 */
export async function warnOfFilters(rowhouse: Rowhouse, error: unknown, rejected: Rejected): Promise<void> {
  if (!isRejected(error)) return;
  for (const clause of rejected.clauses) {
    const plugin = rowhouse.pluginOf(clause);
    if (plugin === null || clause.untrusted === true) continue;
    const mistake = await mistakeIn(clause, rejected);
    if (mistake !== null) rowhouse.log.warn(new PluginError(plugin, "filters_from_request", mistake).message);
  }
}

/** Lets the engine compile the condition. No row is read. */
async function mistakeIn(
  { where, params }: FilterClause,
  { database, table }: Rejected,
): Promise<SqlFailed | null> {
  const from = database.dialect.quoteIdentifier(table.name);
  try {
    await database.read(`select 1 from ${from} where (${where}) limit 0`, params);
    return null;
  } catch (error) {
    return isRejected(error) ? error : null;
  }
}

const isRejected = (error: unknown): error is SqlFailed => error instanceof SqlFailed && error.status === 400;
