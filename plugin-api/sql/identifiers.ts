import type { ReadableTable } from "../contracts/readable-table.js";
import type { Database } from "../engine/database.js";
import type { Rowhouse } from "../kernel/rowhouse.js";
import type { Table } from "../engine/schema.js";
import type { Dialect } from "../engine/dialect.js";

/**
 * A name as quoted SQL identifier. Every name is safe, also with quotes in it.
 *
 * @example
 * quoteIdentifier('a"b'); // '"a""b"'
 */
export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * A text as SQL literal, for places where SQL allows no parameter. Pass all other values as parameters.
 *
 * @example
 * quoteText("it's"); // "'it''s'"
 */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * Escapes a full-text search text so that every word and every "quoted phrase" is matched literally: words get quotes,
 * an unclosed quote is closed, and `""` is removed.
 *
 * @example
 * escapeSearch('two "exact words"'); // '"two" "exact words"'
 */
export function escapeSearch(text: string): string {
  const balanced = text.split('"').length % 2 === 0 ? `${text}"` : text;
  const pieces = balanced.match(/"[^"]*"|[^\s"]+/g) ?? [];
  return pieces
    .filter((piece) => piece !== '""')
    .map((piece) => (piece.startsWith('"') ? piece : `"${piece}"`))
    .join(" ");
}

/**
 * A table without restrictions: the actor may read all rows and columns. The result is cached per `table`.
 *
 * @example
 * unrestrictedTable(table, database.dialect).sql; // "books"
 */
export function unrestrictedTable(table: Table, dialect: Dialect): ReadableTable {
  const cached = unrestricted.get(table);
  if (cached !== undefined) return cached;
  const name = dialect.publishedIdentifier(table.name);
  const whole = { table, sql: name, flattenable: name, params: {}, restricted: false };
  unrestricted.set(table, whole);
  return whole;
}

const unrestricted = new WeakMap<Table, ReadableTable>();

/**
 * True if the engine could evaluate conditions on rows that are hidden from the actor, unless a barrier is used.
 *
 * @example
 * needsBarrier(unrestrictedTable(table, database.dialect)); // false
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
