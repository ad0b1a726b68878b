import type { RowSet, SqlValue, Visit } from "rowhouse/plugin-api";
import { columnOf, rowPaths, UnreadBlob, type Dialect } from "rowhouse/plugin-api/engine";
import { LONG_CELL } from "rowhouse/plugin-api/json";
import type { Order } from "./page-arguments.js";
import type { TableFacts } from "./table-facts.js";

interface PageColumns {
  readonly facts: TableFacts;
  readonly columns: readonly string[];
  readonly order: Order;
}

/**
 * The columns of which a page needs no long BLOBs, only their sizes. A table of pictures has gigabytes of them. A type of
 * a plugin may show the bytes of its column. Keys, labels and the position of the next page are made from values.
 */
export async function unreadColumns(
  { rowhouse, request, wants, target }: Visit<"table">,
  { facts, columns, order }: PageColumns,
): Promise<readonly string[]> {
  const { table, keys } = facts;
  if (wants.longBlobs !== "sizes" || wants.stream || keys.length === 0) return [];
  if (target.database.dialect.blobSize === undefined) return [];
  const links = table.foreignKeys.flatMap((key) => key.columns);
  const valued = new Set([...keys, ...links, ...order.map(({ column }) => column)].map(lowerCase));
  const blobs = columns.filter(
    (name) => columnOf(table, name)?.affinity === "blob" && !valued.has(lowerCase(name)),
  );
  if (blobs.length === 0) return [];
  const types = await rowhouse
    .serviceIfAny("columnTypes")
    ?.of(target.database.name, table.name, request.receivedMs);
  return blobs.filter((name) => (types?.get(name) ?? null) === null);
}

const lowerCase = (name: string): string => name.toLowerCase();

/** The value of a column; NULL for a long BLOB. */
export const shortValue = (dialect: Dialect, name: string): string =>
  `case when ${isLongBlob(dialect, name)} then null else ${dialect.publishedIdentifier(name)} end`;

/** The size of a long BLOB in bytes; NULL for other values. */
export const longBlobSize = (dialect: Dialect, name: string): string =>
  `case when ${isLongBlob(dialect, name)} then ${sizeOf(dialect, name)} end`;

const isLongBlob = (dialect: Dialect, name: string): string => `${sizeOf(dialect, name)} > ${LONG_CELL}`;

const sizeOf = (dialect: Dialect, name: string): string =>
  dialect.blobSize?.(dialect.publishedIdentifier(name)) ?? "null";

interface Sizes {
  readonly columns: readonly string[];
  /** The columns of `sizes`. */
  readonly unread: readonly string[];
  readonly sizes: readonly SqlValue[];
}

/** A row with an `UnreadBlob` for each size. */
export function withSizes(row: readonly SqlValue[], { columns, unread, sizes }: Sizes): readonly SqlValue[] {
  if (sizes.every((size) => size === null)) return row;
  return row.map((value, place) => {
    const size = sizes[unread.indexOf(columns[place] ?? "")] ?? null;
    return size === null ? value : new UnreadBlob(Number(size));
  });
}

/** True if a row has an `UnreadBlob` and no path, by which its bytes could be read. */
export function hasUnreadWithoutPath(rows: RowSet): boolean {
  const paths = rowPaths(rows);
  return (rows.cells ?? []).some(
    (row, index) => paths[index] === null && row.some((cell) => cell instanceof UnreadBlob),
  );
}
