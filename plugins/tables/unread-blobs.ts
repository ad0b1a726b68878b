import type { Database, RowSet, SqlValue, Visit } from "rowhouse/plugin-api";
import {
  columnOf,
  isRowid,
  LONG_BLOB_BYTES,
  rowPaths,
  UnreadBlob,
  withoutLongBlob,
} from "rowhouse/plugin-api/engine";
import { columnTypesOf } from "rowhouse/plugin-api/metadata";
import { foldName } from "rowhouse/plugin-api/names";
import type { Order } from "./page-arguments.js";
import type { TableFacts } from "./table-facts.js";

interface ShownColumns {
  readonly facts: TableFacts;
  readonly columns: readonly string[];
  readonly order: Order;
}

/**
 * The columns of which a page needs no long BLOBs, only their sizes: a table of pictures has gigabytes of them. Keys,
 * labels and the position of the next page are made from values.
 */
export async function unreadColumns(
  visit: Visit<"table"> | Visit<"row">,
  { facts, columns, order }: ShownColumns,
): Promise<readonly string[]> {
  const { wants, target } = visit;
  const { table, keys } = facts;
  const { name, longBlobs } = target.database;
  if (wants.rows !== "cells" || (wants.stream && !hasNumberedRows(facts))) return [];
  if (longBlobs === undefined || keys.length === 0 || facts.hasKeyWithoutAffinity) return [];
  const links = table.foreignKeys.flatMap((key) => key.columns);
  const valued = new Set([...keys, ...links, ...order.map(({ column }) => column)].map(foldName));
  const blobs = columns.filter(
    (column) => columnOf(table, column)?.affinity === "blob" && !valued.has(foldName(column)),
  );
  // Columns without a type may hold BLOBs too, so a wide table can have hundreds of them.
  const most = Math.max(0, MOST_RESULT_COLUMNS - columns.length);
  if (blobs.length === 0 || wants.longBlobs === "sizes") return blobs.slice(0, most);
  const types = await columnTypesOf(visit, name, table.name);
  return blobs.filter((column) => (types?.get(column) ?? null) === null).slice(0, most);
}

/** Each size is a column of the result. SQLite allows 2,000 of them, PostgreSQL 1,664. */
const MOST_RESULT_COLUMNS = 1_600;

/** True if all rows have a path. A page is read again if one has none, but a stream has been sent by then. */
function hasNumberedRows({ table, rowidShown, keys }: TableFacts): boolean {
  const [key = "", ...others] = keys;
  return rowidShown || (others.length === 0 && isRowid(table, key));
}

interface SelectedColumns {
  readonly columns: readonly string[];
  /** The same columns as SQL. */
  readonly names: readonly string[];
  readonly unread: readonly string[];
}

/** What a statement selects: the columns, with NULL for long BLOBs, and then the sizes of these. */
export function columnsWithSizes(
  { dialect, longBlobs }: Database,
  { columns, names, unread }: SelectedColumns,
): readonly string[] {
  if (longBlobs === undefined || unread.length === 0) return names;
  const shown = names.map((name, place) =>
    unread.includes(columns[place] ?? "") ? withoutLongBlob(longBlobs, name) : name,
  );
  const sizes = unread
    .map((column) => longBlobs.size(dialect.publishedIdentifier(column)))
    .map((size) => `case when ${size} > ${LONG_BLOB_BYTES} then ${size} end`);
  return [...shown, ...sizes];
}

/** Reads the bytes of a BLOB of this size in the row. */
export type BlobReader = (column: string, size: number) => AsyncIterable<Uint8Array>;

/** The cells of a row that was read with sizes. */
export function cellsWithUnread(
  row: readonly SqlValue[],
  { columns, unread }: Pick<SelectedColumns, "columns" | "unread">,
  read: BlobReader,
): readonly SqlValue[] {
  const shown = row.slice(0, columns.length);
  const sizes = row.slice(columns.length, columns.length + unread.length);
  if (sizes.every((size) => size === null)) return shown;
  return shown.map((value, place) => {
    const column = columns[place] ?? "";
    const size = sizes[unread.indexOf(column)] ?? null;
    return size === null ? value : new UnreadBlob(Number(size), () => read(column, Number(size)));
  });
}

/** True if a row has an `UnreadBlob` and no path, by which its bytes could be read. */
export function hasUnreadWithoutPath(rows: RowSet): boolean {
  const paths = rowPaths(rows);
  return (rows.cells ?? []).some(
    (row, index) => paths[index] === null && row.some((cell) => cell instanceof UnreadBlob),
  );
}
