import type { ReadableTable } from "../contracts/read-scope.js";
import type { Database } from "../engine/database.js";
import type { Rowhouse } from "../kernel/rowhouse.js";
import type { Table } from "../engine/schema.js";

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

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * The name as published SQL shows it: without quotes if possible, else in brackets, or in double quotes if it contains
 * `]`.
 *
 * @example
 * ["name", "select", "has space", "a]b"].map(publishedIdentifier); // ["name", "[select]", "[has space]", '"a]b"']
 */
export function publishedIdentifier(name: string): string {
  if (PLAIN.test(name) && !KEYWORDS.has(name.toLowerCase())) return name;
  return name.includes("]") || name.includes("\0") ? quoteIdentifier(name) : `[${name}]`;
}

/**
 * Keywords of SQLite (https://www.sqlite.org/lang_keywords.html), without newer ones that SQLite also accepts as names
 * (`nulls`, `window`, ...): published statements have always shown those without quotes.
 */
const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "abort action add after all alter analyze and as asc attach autoincrement before begin between by " +
    "cascade case cast check collate column commit conflict constraint create cross current_date " +
    "current_time current_timestamp database default deferrable deferred delete desc detach distinct drop " +
    "each else end escape except exclusive exists explain fail for foreign from full glob group having if " +
    "ignore immediate in index indexed initially inner insert instead intersect into is isnull join key " +
    "left like limit match natural no not nothing notnull null of offset on or order outer plan pragma " +
    "primary query raise recursive references regexp reindex release rename replace restrict returning " +
    "right rollback row savepoint select set table temp temporary then to transaction trigger union " +
    "unique update using vacuum values view virtual when where with without"
  ).split(" "),
);

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

/** SQL that differs between engines. The methods quote the identifiers that they are given. */
export interface Dialect {
  quoteIdentifier(name: string): string;
  /** ` limit 10`, ` limit 10 offset 20` */
  limit(count: number, offset?: number): string;
  /**
   * The condition that `column` of the full-text table matches the parameter `:parameter`.
   *
   * @param options `column` null searches all columns; `key` is the key column; `raw` keeps the operators of the search
   *   syntax
   */
  fullTextMatch(options: {
    readonly table: string;
    readonly column: string | null;
    readonly key: string;
    readonly parameter: string;
    readonly raw: boolean;
  }): string;
  /** The day of a date or timestamp: `date("column")`. */
  dateOf(column: string): string;
}

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
