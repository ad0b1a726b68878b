import { filterArgument, rowPath } from "../http/paths.js";
import type { Pair } from "../http/query-bytes.js";
import { Labelled, type Cell, type RowSet } from "../http/route.js";
import { isUntyped, type Table } from "./schema.js";
import { Real, type SqlValue } from "./values.js";

/**
 * A cell without its label.
 *
 * @example
 * plainValue(new Labelled(7, "Emma")); // 7
 */
export const plainValue = (cell: Cell): SqlValue => (cell instanceof Labelled ? cell.value : cell);

/**
 * Columns that identify a row in URLs: the primary key, else the rowid by a name that no column hides. Empty for views,
 * and for tables without a key in an engine that gives rows no number.
 *
 * @example
 * keyColumns({ primaryKeys: [], rowidName: "rowid" }); // ["rowid"]
 */
export function keyColumns({
  primaryKeys,
  rowidName,
}: Pick<Table, "primaryKeys" | "rowidName">): readonly string[] {
  if (primaryKeys.length > 0) return primaryKeys;
  return rowidName === null ? [] : [rowidName];
}

/**
 * The key values of each row as text. Null for rows without a row path: no keys, or a key that is NULL or a BLOB.
 *
 * @example
 * rowKeys({ columns: ["id"], json: null, cells: [[1], [null]], keys: ["id"] }); // [["1"], null]
 */
export function rowKeys(rows: RowSet): readonly (readonly string[] | null)[] {
  const cells = rows.cells ?? [];
  const places = rows.keys.map((key) => rows.columns.indexOf(key));
  if (rows.keys.length === 0 || places.includes(-1)) return cells.map(() => null);
  return cells.map((row) => {
    const values = places.map((place) => plainValue(row[place] ?? null));
    const addressable = values.every((value) => value !== null && !(value instanceof Uint8Array));
    return addressable ? values.map(addressText) : null;
  });
}

/**
 * True for a value that its text in an address leads back to. Bytes of a text that are not UTF-8 were replaced by U+FFFD,
 * which is another value.
 *
 * @example
 * isAddressable("Emma"); // true
 * isAddressable(null); // false
 */
export const isAddressable = (value: SqlValue): value is Exclude<SqlValue, null | Uint8Array> =>
  typeof value === "string" ? !value.includes("\ufffd") : value !== null && !(value instanceof Uint8Array);

/**
 * A value as text in row paths. The affinity of its column converts the text back to the same value.
 *
 * @example
 * addressText(new Real(Infinity)); // "9e999"
 */
export function addressText(value: SqlValue): string {
  if (!(value instanceof Real) || Number.isFinite(value.value)) return String(value);
  if (Number.isNaN(value.value)) return "NaN";
  return value.value > 0 ? "9e999" : "-9e999";
}

/**
 * The query argument that selects the rows of a table with a text or number in a column: `size__in=[5]` for a number in a
 * column without a type.
 *
 * @example
 * selectingArgument(table, "title", "Emma"); // ["title", "Emma"]
 */
export const selectingArgument = (
  table: Table,
  column: string,
  value: Exclude<SqlValue, null | Uint8Array>,
): Pair =>
  typeof value !== "string" && isUntyped(table, column)
    ? [`${column}__in`, `[${addressText(value)}]`]
    : [filterArgument(column), addressText(value)];

/**
 * The row path of each row; null for rows without one. A key that is an empty text has none either: the path would be
 * that of the table. A key with bytes that are not UTF-8 has none, because no address leads to it. Needs `cells` or
 * `paths`.
 *
 * @example
 * rowPaths({ columns: ["id"], json: null, cells: [["a/b"]], keys: ["id"] }); // ["a~2Fb"]
 */
export const rowPaths = (rows: RowSet): readonly (string | null)[] =>
  rows.paths ??
  rowKeys(rows).map((key) => (key?.every(isAddressable) === true ? rowPath(key) || null : null));

/**
 * Reads the first batch of a stream, so that an error of the query is thrown before the reply starts. The result
 * contains all batches; leaving its loop ends the read.
 *
 * @example
 * const batches = await begun(database.stream("select id from books"));
 * for await (const { columns } of batches) columns; // ["id"]
 */
export async function begun<Batch>(source: AsyncIterable<Batch>): Promise<AsyncIterable<Batch>> {
  const batches = source[Symbol.asyncIterator]();
  return resumed(await batches.next(), batches);
}

/**
 * An iterator whose first step has been read already, from its beginning. `return` ends the read even before the first
 * `next`, when a generator would not run its `finally`.
 *
 * @example
 * const source = (async function* () {
 *   yield 1;
 *   yield 2;
 * })();
 * const numbers = [];
 * for await (const number of resumed(await source.next(), source)) numbers.push(number);
 * numbers; // [1, 2]
 */
export function resumed<Batch>(
  first: IteratorResult<Batch>,
  rest: AsyncIterator<Batch>,
): AsyncIterableIterator<Batch> {
  let waiting: IteratorResult<Batch> | null = first;
  return {
    async next() {
      const step = waiting ?? (await rest.next());
      waiting = null;
      return step;
    },
    async return(value?: unknown) {
      waiting = null;
      await rest.return?.();
      return { done: true, value };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
