import type { ReadableTable } from "../contracts/readable-table.js";
import type { Selection } from "../contracts/selection.js";
import type { Database } from "../engine/database.js";
import type { Dialect } from "../engine/dialect.js";
import type { ReadOptions } from "../engine/reads.js";
import type { Table } from "../engine/schema.js";
import type { Rowhouse } from "../kernel/rowhouse.js";

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

/**
 * The options with which a statement over a selection has to run: as untrusted SQL with an allowlist if a client wrote a
 * part of its conditions.
 *
 * @example
 * readOptionsOf({ untrusted: false, allowlist: null }); // { trust: "trusted" }
 */
export const readOptionsOf = ({
  untrusted,
  allowlist,
}: Pick<Selection, "untrusted" | "allowlist">): Pick<ReadOptions, "trust" | "allowlist"> => ({
  trust: untrusted ? "untrusted" : "trusted",
  ...(allowlist !== null && { allowlist }),
});

/** The in-memory database to which `--crossdb` attaches the others. */
const MEMORY = "_memory";
/** The limit of SQLite. */
const MOST_ATTACHED = 10;

/**
 * The databases that are attached to `database`: with `--crossdb` the first ten files of SQLite, without the internal
 * database, otherwise none.
 *
 * @example
 * attachedDatabases(rowhouse, database); // []
 */
export function attachedDatabases(rowhouse: Rowhouse, database: Database): readonly Database[] {
  if (database.name !== MEMORY || rowhouse.option("crossdb") !== true) return [];
  return [...rowhouse.databases.values()].filter(isAttachable).slice(0, MOST_ATTACHED);
}

const isAttachable = ({ memory, internal, capabilities }: Database): boolean =>
  !memory && !internal && capabilities.dialect === "sqlite";
