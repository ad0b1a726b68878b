import type { ReadableTable } from "../contracts/readable-table.js";
import type { Selection } from "../contracts/selection.js";
import type { Dialect } from "../engine/dialect.js";
import type { ReadOptions } from "../engine/reads.js";
import type { Table } from "../engine/schema.js";

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
