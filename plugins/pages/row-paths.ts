import type { Cell, RowSet, SqlValue } from "rowhouse/plugin-api";
import { Labelled, rowPath } from "rowhouse/plugin-api";

/** A cell without its label. */
export const plainValue = (cell: Cell): SqlValue => (cell instanceof Labelled ? cell.value : cell);

/** The key values of each row as text, null where a row can't be addressed: no keys, or one is NULL or a BLOB. */
export function rowKeys(rows: RowSet): (readonly string[] | null)[] {
  const cells = rows.cells ?? [];
  const places = rows.keys.map((key) => rows.columns.indexOf(key));
  if (rows.keys.length === 0 || places.includes(-1)) return cells.map(() => null);
  return cells.map((row) => {
    const values = places.map((place) => plainValue(row[place] ?? null));
    const addressable = values.every((value) => value !== null && !(value instanceof Uint8Array));
    return addressable ? values.map(String) : null;
  });
}

/** The path of each row, null where it has none. */
export const rowPaths = (rows: RowSet): readonly (string | null)[] =>
  rows.paths ?? rowKeys(rows).map((key) => (key === null ? null : rowPath(key)));
