import { BadRequest, publishedIdentifier } from "rowhouse/plugin-api";
import type { MetadataBlock } from "rowhouse/plugin-api";
import type { TableFacts } from "./table-facts.js";

/** A column to sort by, and which way. */
export interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

/**
 * The order asked for by `_sort` or `_sort_desc`, else the metadata's; null for the table's own order.
 *
 * @throws BadRequest for a column that may not be sorted by, and for both directions at once
 */
export function chooseSort(facts: TableFacts, query: URLSearchParams, metadata: MetadataBlock): Sort | null {
  const asked = { ascending: query.get("_sort") || null, descending: query.get("_sort_desc") || null };
  const none = asked.ascending === null && asked.descending === null;
  const { ascending, descending } = none
    ? { ascending: named(metadata["sort"]), descending: named(metadata["sort_desc"]) }
    : asked;
  const column = ascending ?? descending;
  if (column === null) return null;
  for (const one of [ascending, descending]) {
    if (one !== null && !isSortable(facts, metadata, one)) {
      throw new BadRequest(`Cannot sort table by ${one}`);
    }
  }
  if (ascending !== null && descending !== null) {
    throw new BadRequest("Cannot use _sort and _sort_desc at the same time");
  }
  return { column, descending: descending !== null };
}

const named = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** May a page of this table be sorted by `column`? The metadata's `sortable_columns` decide where there are any. */
export function isSortable(facts: TableFacts, metadata: MetadataBlock, column: string): boolean {
  if (facts.rowidShown && column === "rowid") return true;
  const listed = metadata["sortable_columns"];
  if (!Array.isArray(listed)) return facts.names.has(column);
  return listed.includes(column) && facts.names.has(column);
}

/** `order by name desc`; empty for a view in its own order. */
export function publishedOrder(facts: TableFacts, sort: Sort | null, later: boolean): string {
  if (sort === null) return facts.defaultOrder === "" ? "" : `order by ${facts.defaultOrder}`;
  const first = `order by ${publishedIdentifier(sort.column)}${sort.descending ? " desc" : ""}`;
  return later && facts.pagingKeys.length > 0 ? `${first}, ${facts.defaultOrder}` : first;
}

/** What runs: with the key as a tie-breaker from the first page on, so that no row is shown twice or left out. */
export function executedOrder(facts: TableFacts, sort: Sort | null): string {
  const published = publishedOrder(facts, sort, true);
  const { rowidName } = facts.table;
  const needsRowid = facts.rowidShown && facts.pagingKeys.length === 0 && rowidName !== null;
  return needsRowid ? `${published}, ${rowidName}` : published;
}
