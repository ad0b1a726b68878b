import type { IndexedColumn, SuggestedIndex } from "../engine/advice.js";
import { isRowid, type Schema, type Table } from "../engine/schema.js";
import { freeName } from "../names/index.js";
import { quoteIdentifier } from "./identifiers.js";

/**
 * An index on columns of a table; null if there is one that begins with them, or if the primary key does.
 *
 * @example
 * missingIndex(schema, table, [{ name: "title", descending: false }])?.sql;
 * // 'create index "books_title" on "books"("title")'
 */
export function missingIndex(
  schema: Schema,
  table: Table,
  columns: readonly IndexedColumn[],
): SuggestedIndex | null {
  const names = columns.map(({ name }) => name);
  const [first] = names;
  if (first === undefined || table.kind !== "table" || isRowid(table, first)) return null;
  if (table.indexes.some((index) => !index.partial && beginsWith(index.columns, names))) return null;
  if (beginsWith(table.primaryKeys, names)) return null;
  const terms = columns.map(({ name, descending }) => quoteIdentifier(name) + (descending ? " desc" : ""));
  const name = quoteIdentifier(freeName([table.name, ...names].join("_"), takenNames(schema)));
  const sql = `create index ${name} on ${quoteIdentifier(table.name)}(${terms.join(", ")})`;
  return { table: table.name, columns: names, sql };
}

const beginsWith = (columns: readonly (string | null)[], start: readonly string[]): boolean =>
  start.every((name, index) => columns[index]?.toLowerCase() === name.toLowerCase());

/** Tables and indexes share their names. */
const takenNames = ({ tables }: Schema): ReadonlySet<string> =>
  new Set([...tables.values()].flatMap(({ name, indexes }) => [name, ...indexes.map((index) => index.name)]));
