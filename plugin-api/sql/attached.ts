import type { Database } from "../engine/database.js";
import type { Rowhouse } from "../kernel/rowhouse.js";
import { foldName } from "../names/index.js";

/** The in-memory database to which `--crossdb` attaches the others. */
const MEMORY = "_memory";
/** The limit of SQLite. */
const MOST_ATTACHED = 10;
/** SQLite has these schemas in each connection. */
const SCHEMAS_OF_SQLITE = ["main", "temp"];

/**
 * The databases that are attached to `database`: with `--crossdb` those of the first ten files of SQLite that SQLite
 * can attach, without the internal database, otherwise none.
 *
 * @example
 * attachedDatabases(rowhouse, database); // []
 */
export function attachedDatabases(rowhouse: Rowhouse, database: Database): readonly Database[] {
  if (database.name !== MEMORY || rowhouse.option("crossdb") !== true) return [];
  return attachable([...rowhouse.databases.values()].filter(isFileOfSqlite)).attached;
}

const isFileOfSqlite = ({ memory, internal, capabilities }: Database): boolean =>
  !memory && !internal && capabilities.dialect === "sqlite";

/**
 * Which of these databases `--crossdb` attaches. SQLite has a limit, and refuses names that are taken: it compares them
 * without their case.
 *
 * @example
 * attachable([{ name: "a" }, { name: "A" }, { name: "main" }]); // { attached: [{ name: "a" }], refused: [{ name: "A" }, { name: "main" }], surplus: 0 }
 */
export function attachable<Item extends { readonly name: string }>(
  items: readonly Item[],
): { readonly attached: readonly Item[]; readonly refused: readonly Item[]; readonly surplus: number } {
  const taken = new Set(SCHEMAS_OF_SQLITE);
  const attached: Item[] = [];
  const refused: Item[] = [];
  for (const item of items.slice(0, MOST_ATTACHED)) {
    const key = foldName(item.name);
    (taken.has(key) ? refused : attached).push(item);
    taken.add(key);
  }
  return { attached, refused, surplus: Math.max(0, items.length - MOST_ATTACHED) };
}
