import { rowPath } from "./paths.js";
import { Labelled } from "./route.js";
import type { Cell, RowSet } from "./route.js";
import { Real } from "./values.js";
import type { SqlValue } from "./values.js";

/** A cell without its label. */
export const plainValue = (cell: Cell): SqlValue => (cell instanceof Labelled ? cell.value : cell);

/** The key values of each row as text; null where a row can't be addressed: no keys, or one is NULL or a BLOB. */
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

/** A value as text in addresses: the affinity of its column reads it back as the same value, infinities included. */
export function addressText(value: SqlValue): string {
  if (!(value instanceof Real) || Number.isFinite(value.value)) return String(value);
  return value.value > 0 ? "9e999" : "-9e999";
}

/**
 * The path of each row as it stands in URLs, null where it has none: a key that is an empty text would be the
 * table's own path. Needs `cells`, or ready-made `paths`.
 */
export const rowPaths = (rows: RowSet): readonly (string | null)[] =>
  rows.paths ?? rowKeys(rows).map((key) => (key === null ? null : rowPath(key) || null));

/**
 * A stream of batches of which the first has been read, so that what is wrong with a query still becomes a
 * proper error. Leaving the loop over it ends the read.
 */
export async function begun<Batch>(source: AsyncIterable<Batch>): Promise<AsyncIterable<Batch>> {
  const batches = source[Symbol.asyncIterator]();
  return resumed(await batches.next(), batches);
}

/**
 * What an iterator brings when its first step has been taken already. Ending it ends the read, also before
 * anything was taken from it: a generator around the iterator would not run at all then.
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
