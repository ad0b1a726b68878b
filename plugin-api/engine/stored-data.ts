import type { Database } from "./database.js";
import type { Schema, Table } from "./schema.js";

/**
 * True if the rows of a table are stored in its database. The rows of a view, of a table of a module or of another server can
 * change although the data of the database does not.
 *
 * @example
 * isStoredTable(table); // true
 */
export const isStoredTable = ({ kind, module, fullText }: Table): boolean =>
  kind === "shadow" || fullText !== null || (kind === "table" && module === null);

/**
 * True if SQL of a caller or a view certainly returns the same as long as the data is the same.
 *
 * @example
 * isDeterministic(database, "select random()"); // false
 */
export const isDeterministic = ({ dialect }: Database, sql: string): boolean =>
  dialect.isDeterministic?.(sql) === true;

const known = new WeakMap<Schema, boolean>();

/**
 * True if all tables of a schema are stored, and all views return the same as long as the data is the same.
 *
 * @example
 * isSchemaDeterministic(database, await database.schema()); // true
 */
export function isSchemaDeterministic(database: Database, schema: Schema): boolean {
  const found =
    known.get(schema) ??
    [...schema.tables.values()].every(
      (table) =>
        isStoredTable(table) || (table.kind === "view" && isDeterministic(database, table.sql ?? "")),
    );
  known.set(schema, found);
  return found;
}
