import type { Database } from "../engine/database.js";
import type { Rowhouse } from "../kernel/rowhouse.js";

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
