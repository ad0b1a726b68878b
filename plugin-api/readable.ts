import type { ReadableTable } from "./contracts/read-scope.js";
import type { Table } from "./schema.js";
import { publishedIdentifier, quoteIdentifier } from "./sql.js";
import type { Database } from "./database.js";
import type { Rowhouse } from "./rowhouse.js";

/**
 * A table without restrictions: the actor may read all rows and columns. The result is cached per `table`.
 *
 * @example
 * unrestrictedTable(table).sql; // "books"
 */
export function unrestrictedTable(table: Table): ReadableTable {
  const cached = unrestricted.get(table);
  if (cached !== undefined) return cached;
  const name = publishedIdentifier(table.name);
  const whole = { table, sql: name, flattenable: name, params: {}, restricted: false };
  unrestricted.set(table, whole);
  return whole;
}

const unrestricted = new WeakMap<Table, ReadableTable>();

/**
 * Ends a subquery so that SQLite evaluates it separately. A subquery with OFFSET is never merged with the statement around
 * it (restriction 14 of SQLite's query flattener), and conditions of that statement are never pushed into a subquery
 * with LIMIT. `limit -1 offset 0` leaves no row out.
 */
const BARRIER = "limit -1 offset 0";

/**
 * A `select` as a source of rows: conditions on the source are evaluated only on the rows that the `select` finds.
 *
 * @example
 * behindBarrier("select * from books", "t"); // '(select * from books limit -1 offset 0) as "t"'
 */
export const behindBarrier = (select: string, name: string): string =>
  `(${select} ${BARRIER}) as ${quoteIdentifier(name)}`;

/**
 * True if SQLite could evaluate conditions on rows that are hidden from the actor, unless a barrier is used.
 *
 * @example
 * needsBarrier(unrestrictedTable(table)); // false
 */
export const needsBarrier = ({ sql, flattenable }: ReadableTable): boolean => sql !== flattenable;

/** The in-memory database to which `--crossdb` attaches the others. */
const MEMORY = "_memory";
/** The limit of SQLite. */
const MOST_ATTACHED = 10;

/**
 * The databases that are attached to `database`: with `--crossdb` the first ten files, otherwise none.
 *
 * @example
 * attachedDatabases(rowhouse, database); // []
 */
export function attachedDatabases(rowhouse: Rowhouse, database: Database): readonly Database[] {
  if (database.name !== MEMORY || rowhouse.option("crossdb") !== true) return [];
  return [...rowhouse.databases.values()].filter(({ memory }) => !memory).slice(0, MOST_ATTACHED);
}
