import type { ReadableTable } from "./contracts/read-scope.js";
import type { Table } from "./schema.js";
import { publishedIdentifier, quoteIdentifier } from "./sql.js";
import type { Database } from "./database.js";
import type { Rowhouse } from "./rowhouse.js";

/** A table whose rows and columns are all readable. */
export function unrestrictedTable(table: Table): ReadableTable {
  const known = remembered.get(table);
  if (known !== undefined) return known;
  const name = publishedIdentifier(table.name);
  const whole = { table, sql: name, flattenable: name, params: {}, restricted: false };
  remembered.set(table, whole);
  return whole;
}

const remembered = new WeakMap<Table, ReadableTable>();

/**
 * Ends a subquery that SQLite evaluates by itself. A subquery with OFFSET is never merged with the statement around
 * it (restriction 14 of SQLite's query flattener), and conditions of that statement are never pushed into a subquery
 * with LIMIT. `limit -1 offset 0` leaves no row out.
 */
const BARRIER = "limit -1 offset 0";

/** A `select` as a source of rows: conditions on the source are evaluated only on the rows that the `select` finds. */
export const behindBarrier = (select: string, name: string): string =>
  `(${select} ${BARRIER}) as ${quoteIdentifier(name)}`;

/** Can conditions on this table meet rows that are hidden from the actor, unless a barrier stops them? */
export const needsBarrier = ({ sql, flattenable }: ReadableTable): boolean => sql !== flattenable;

/** The in-memory database that people reach the others through under `--crossdb`. */
const MEMORY = "_memory";
/** SQLite attaches no more than this. */
const MOST_ATTACHED = 10;

/** The databases that SQL on `database` can read besides its own: the first file databases, under `--crossdb`. */
export function attachedDatabases(rowhouse: Rowhouse, database: Database): readonly Database[] {
  if (database.name !== MEMORY || rowhouse.option("crossdb") !== true) return [];
  return [...rowhouse.databases.values()].filter(({ memory }) => !memory).slice(0, MOST_ATTACHED);
}
