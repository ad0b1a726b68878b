import type { Database } from "./database.js";
import type { Rowhouse } from "./rowhouse.js";

/** The in-memory database that people reach the others through under `--crossdb`. */
const MEMORY = "_memory";
/** SQLite attaches no more than this. */
const MOST_ATTACHED = 10;

/** The databases that SQL on `database` can read besides its own: the first file databases, under `--crossdb`. */
export function attachedDatabases(rowhouse: Rowhouse, database: Database): readonly Database[] {
  if (database.name !== MEMORY || rowhouse.option("crossdb") !== true) return [];
  return [...rowhouse.databases.values()].filter(({ memory }) => !memory).slice(0, MOST_ATTACHED);
}
