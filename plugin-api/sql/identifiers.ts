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
 * True for names of SQLite's own tables, whose rows describe all tables of a database.
 *
 * @example
 * isCatalogueName("SQLITE_MASTER"); // true
 * isCatalogueName("books"); // false
 */
export const isCatalogueName = (name: string): boolean =>
  /^sqlite_(?:master|schema|sequence|stat[1-4])$/i.test(name);
