import {
  BadRequest,
  publishedIdentifier,
  linkHeader,
  reply,
  without,
  withQuery,
  queryPairs,
} from "rowhouse/plugin-api";
import type { MetadataBlock, Pair, Reply, Request, Rowhouse } from "rowhouse/plugin-api";
import type { TableFacts } from "./table-facts.js";

/**
 * Columns to select: `_col` limits them (keys always come first, and once more when listed), `_nocol` then
 * takes some away.
 *
 * @throws BadRequest for columns the table doesn't have, and for keys in `_nocol`
 */
export function chooseColumns(facts: TableFacts, query: URLSearchParams): readonly string[] {
  const wanted = query.getAll("_col");
  const unwanted = query.getAll("_nocol");
  if (wanted.length === 0 && unwanted.length === 0) return facts.columns;
  rejectColumns(
    "_col",
    wanted.filter((name) => !facts.names.has(name)),
  );
  const keys = new Set(facts.table.primaryKeys);
  rejectColumns(
    "_nocol",
    unwanted.filter((name) => !facts.names.has(name) || keys.has(name)),
  );
  const rowid = facts.rowidShown ? ["rowid"] : [];
  const chosen = wanted.length === 0 ? facts.columns : [...rowid, ...keys, ...new Set(wanted)];
  return chosen.filter((name) => !unwanted.includes(name));
}

function rejectColumns(argument: string, columns: readonly string[]): void {
  if (columns.length > 0) throw new BadRequest(`${argument}=${columns.join(", ")} - invalid columns`);
}

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

export interface PageSizes {
  /** Setting `default_page_size`. */
  readonly usual: number;
  /** Setting `max_returned_rows`. */
  readonly most: number;
}

/**
 * Rows of a page: `_size` (a number or `max`), else the metadata's `size`, else the usual size.
 *
 * @throws BadRequest when it is no number, or beyond the most
 */
export function pageSize(
  query: URLSearchParams,
  metadata: MetadataBlock,
  { usual, most }: PageSizes,
): number {
  const asked = query.get("_size") || metadataSize(metadata);
  if (asked === null) return Math.min(usual, most);
  if (asked === "max") return most;
  if (!/^\d+$/.test(asked)) throw new BadRequest("_size must be a positive integer");
  const size = Number(asked);
  if (size > most) throw new BadRequest(`_size must be <= ${most}`);
  return size;
}

/** Fewer rows where that many would have more cells than the renderer shows; the next page continues after them. */
export const limitToCells = (maxCells: number | undefined, size: number, columns: number): number =>
  maxCells === undefined ? size : Math.min(size, Math.max(1, Math.floor(maxCells / Math.max(1, columns))));

const metadataSize = ({ size }: MetadataBlock): string | null =>
  typeof size === "number" || typeof size === "string" ? String(size) : null;

/**
 * Milliseconds the row query may take: `_timelimit` lowers the limit of the setting and never raises it.
 *
 * @throws BadRequest when it is no whole number
 */
export function rowTimeLimit(query: URLSearchParams, settingMs: number): number {
  const asked = query.get("_timelimit");
  if (asked === null || asked === "") return settingMs;
  if (!/^\d+$/.test(asked)) throw new BadRequest("_timelimit must be an integer");
  return Math.min(Number(asked), settingMs);
}

const FORM_ARGUMENT = /^_filter_(?:column|op|value)$|^_filter_column_\d+$/;
const NUMBERED = /^_filter_column_(\d+)$/;

/**
 * What the page's forms send is turned into the page's own arguments by a redirect: filter rows, and the box
 * that sorts in the other direction. Null when there is nothing to turn.
 */
export function formRedirect(rowhouse: Rowhouse, request: Request): Reply | null {
  const pairs = queryPairs(request);
  if (pairs.some(([name]) => FORM_ARGUMENT.test(name))) {
    return redirectTo(rowhouse, request, withFilters(pairs, request.query));
  }
  if (request.query.has("_sort_by_desc")) {
    return redirectTo(rowhouse, request, withSortDescending(pairs, request.query));
  }
  return null;
}

function withFilters(pairs: readonly Pair[], query: URLSearchParams): readonly Pair[] {
  const numbers = pairs.flatMap(([name]) => NUMBERED.exec(name)?.[1] ?? []);
  const suffixes = [...new Set(numbers)].map((number) => `_${number}`);
  const filters = ["", ...suffixes].flatMap((suffix) => filterOf(query, suffix));
  const used = new Set(
    ["", ...suffixes].flatMap((suffix) =>
      ["column", "op", "value"].map((part) => `_filter_${part}${suffix}`),
    ),
  );
  const kept = pairs.filter((pair) => !used.has(pair[0]) && !isUnusedControl(pair));
  return [...kept, ...filters];
}

/** An empty search box or sort menu is what the form sends when nobody used them. */
const isUnusedControl = ([name, value]: Pair): boolean =>
  value === "" && (name === "_search" || name === "_sort");

function filterOf(query: URLSearchParams, suffix: string): readonly Pair[] {
  const column = query.get(`_filter_column${suffix}`) ?? "";
  if (column === "") return [];
  const op = query.get(`_filter_op${suffix}`) || "exact";
  const at = op.indexOf("__");
  // `isnull__1` brings its own value.
  if (at !== -1) return [[`${column}__${op.slice(0, at)}`, op.slice(at + 2)]];
  return [[`${column}__${op}`, query.get(`_filter_value${suffix}`) ?? ""]];
}

function withSortDescending(pairs: readonly Pair[], query: URLSearchParams): readonly Pair[] {
  const column = query.get("_sort");
  const kept = without(pairs, "_sort_by_desc", "_sort");
  return column === null ? kept : [...kept, ["_sort_desc", column]];
}

function redirectTo(rowhouse: Rowhouse, { path }: Request, pairs: readonly Pair[]): Reply {
  const location = rowhouse.urls.path(withQuery(path, pairs));
  return reply.redirect(location, 302, linkHeader(`<${location}>; rel=preload`));
}
