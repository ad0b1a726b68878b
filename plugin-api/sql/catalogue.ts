/**
 * True for names of SQLite's own tables, whose rows describe all tables of a database.
 *
 * @example
 * isCatalogueName("SQLITE_MASTER"); // true
 * isCatalogueName("books"); // false
 */
export const isCatalogueName = (name: string): boolean =>
  /^sqlite_(?:master|schema|sequence|stat[1-4])$/i.test(name);
