import {
  BadRequest,
  reply,
  withQuery,
  type MetadataBlock,
  type Reply,
  type Request,
  type Rowhouse,
} from "rowhouse/plugin-api";
import {
  linkHeader,
  queryPairs,
  tildeDecode,
  tildeEncode,
  without,
  type Pair,
} from "rowhouse/plugin-api/http";
import type { Dialect } from "rowhouse/plugin-api/engine";
import { isSortable, type TableFacts } from "./table-facts.js";

/**
 * The columns to select: those in `_col` after the key columns, or all; without those in `_nocol`. A key column that
 * `_col` lists is selected twice.
 *
 * @throws BadRequest for columns that the table doesn't have, for key columns in `_nocol`, and if no column is left
 */
export function chooseColumns(facts: TableFacts, query: URLSearchParams): readonly string[] {
  const included = query.getAll("_col");
  const excluded = query.getAll("_nocol");
  if (included.length === 0 && excluded.length === 0) return facts.columns;
  rejectColumns(
    "_col",
    included.filter((name) => !facts.names.has(name)),
  );
  const keys = new Set(facts.table.primaryKeys);
  rejectColumns(
    "_nocol",
    excluded.filter((name) => !facts.names.has(name) || keys.has(name)),
  );
  const rowid = facts.rowidShown ? ["rowid"] : [];
  const chosen = included.length === 0 ? facts.columns : [...rowid, ...keys, ...new Set(included)];
  const left = chosen.filter((name) => !excluded.includes(name));
  if (left.length === 0) throw new BadRequest("_nocol leaves no column to select");
  return left;
}

function rejectColumns(argument: string, columns: readonly string[]): void {
  if (columns.length > 0) throw new BadRequest(`${argument}=${columns.join(", ")} - invalid columns`);
}

/**
 * The order from `_order`, or `_sort` or `_sort_desc`, else from the metadata; empty for the table's default order.
 *
 * @throws BadRequest for a column that is not sortable, and for several of these arguments together
 */
export function chooseOrder(facts: TableFacts, query: URLSearchParams, metadata: MetadataBlock): Order {
  const order = readOrder(query.get("_order") ?? "");
  const sort = chooseSort(facts, query, order.length > 0 ? {} : metadata);
  if (order.length === 0) return sort === null ? [] : [sort];
  if (sort !== null) throw new BadRequest("Cannot use _order together with _sort or _sort_desc");
  const refused = order.find(({ column }) => !isSortable(facts, metadata, column));
  if (refused !== undefined) throw new BadRequest(`Cannot sort table by ${refused.column}`);
  return order;
}

function chooseSort(facts: TableFacts, query: URLSearchParams, metadata: MetadataBlock): Sort | null {
  const ascending = query.get("_sort") || null;
  const descending = query.get("_sort_desc") || null;
  const column = ascending ?? descending;
  if (column === null) return metadataSort(facts, metadata);
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

/**
 * The order of the metadata. A column that cannot be sorted, which is reported at the start, breaks no page.
 *
 * @throws BadRequest for both `sort` and `sort_desc`
 */
function metadataSort(facts: TableFacts, metadata: MetadataBlock): Sort | null {
  if (metadata["sort"] && metadata["sort_desc"])
    throw new BadRequest("The metadata of this table has both sort and sort_desc. Remove one of them");
  for (const [key, descending] of [
    ["sort", false],
    ["sort_desc", true],
  ] as const) {
    const column = metadata[key];
    if (typeof column === "string" && isSortable(facts, metadata, column)) return { column, descending };
  }
  return null;
}

/** `order by name desc`; empty for a view in its default order. */
export function publishedOrder(dialect: Dialect, facts: TableFacts, order: Order, later: boolean): string {
  const keys = facts.keys.map(dialect.publishedIdentifier);
  const terms = order.map(({ column, descending }) =>
    dialect.orderTerm({ table: facts.table, name: column }, descending),
  );
  const isKeyed = order.length === 0 || (later && facts.pagingKeys.length > 0);
  const all = isKeyed ? [...terms, ...keys] : terms;
  return all.length === 0 ? "" : `order by ${all.join(", ")}`;
}

/** The executed order: with the key as tie-breaker on every page, so that no row is repeated or skipped. */
export function executedOrder(dialect: Dialect, facts: TableFacts, order: Order): string {
  const published = publishedOrder(dialect, facts, order, true);
  const last = facts.pagingKeys.length > 0 ? null : dialect.tieBreaker(facts.table);
  // A view has an order of its own.
  if (last === null || (facts.table.kind === "view" && published === "")) return published;
  return published === "" ? `order by ${last}` : `${published}, ${last}`;
}

export interface PageSizes {
  /** Setting `default_page_size`. */
  readonly defaultSize: number;
  /** Setting `max_returned_rows`. */
  readonly maxSize: number;
}

/**
 * Rows per page: `_size` (a number or `max`), else the metadata's `size`, else the default.
 *
 * @throws BadRequest if it is not a number or exceeds the maximum
 */
export function pageSize(
  query: URLSearchParams,
  metadata: MetadataBlock,
  { defaultSize, maxSize }: PageSizes,
): number {
  const requested = query.get("_size") || metadataSize(metadata);
  if (requested === null) return Math.min(defaultSize, maxSize);
  if (requested === "max") return maxSize;
  if (!/^\d+$/.test(requested)) throw new BadRequest("_size must be a positive integer");
  const size = Number(requested);
  if (size > maxSize) throw new BadRequest(`_size must be <= ${maxSize}`);
  return size;
}

/** Reduces the page size to the cells that the renderer shows. The next page continues after these rows. */
export const limitToCells = (maxCells: number | undefined, size: number, columns: number): number =>
  maxCells === undefined ? size : Math.min(size, Math.max(1, Math.floor(maxCells / Math.max(1, columns))));

const metadataSize = ({ size }: MetadataBlock): string | null =>
  typeof size === "number" || typeof size === "string" ? String(size) : null;

const FORM_ARGUMENT = /^_filter_(?:column|op|value)$|^_filter_column_\d+$/;
const NUMBERED = /^_filter_column_(\d+)$/;

/**
 * Redirects a submitted form of the page to the equivalent arguments: filter rows become column filters, and the
 * `_sort_by_desc` box becomes `_sort_desc`. Null if the request contains no form arguments.
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
  // A search in the query would compare the names of all arguments, for each of many filters.
  const values = new Map([...query].toReversed());
  const filters = ["", ...suffixes].flatMap((suffix) => filterOf(values, suffix));
  const used = new Set(
    ["", ...suffixes].flatMap((suffix) =>
      ["column", "op", "value"].map((part) => `_filter_${part}${suffix}`),
    ),
  );
  // A choice in the sort menu replaces an order by several columns.
  if (query.get("_sort")) used.add("_order");
  const kept = pairs.filter((pair) => !used.has(pair[0]) && !isUnusedControl(pair));
  return [...kept, ...filters];
}

/** The form submits an empty search box or sort menu if they were not used. */
const isUnusedControl = ([name, value]: Pair): boolean =>
  value === "" && (name === "_search" || name === "_sort");

/** @param values of arguments that are repeated, the first */
function filterOf(values: ReadonlyMap<string, string>, suffix: string): readonly Pair[] {
  const column = values.get(`_filter_column${suffix}`) ?? "";
  if (column === "") return [];
  const op = values.get(`_filter_op${suffix}`) || "exact";
  const at = op.indexOf("__");
  // `isnull__1` contains its value.
  if (at !== -1) return [[`${column}__${op.slice(0, at)}`, op.slice(at + 2)]];
  return [[`${column}__${op}`, values.get(`_filter_value${suffix}`) ?? ""]];
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

/** A column to sort by, and the direction. */
export interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

/** The columns by which a page is sorted, most significant first; empty for the default order of the table. */
export type Order = readonly Sort[];

/** Each column adds a level of parentheses to the condition of the next page. */
const MOST_COLUMNS = 16;

/**
 * Parses `_order`: tilde-encoded names of columns, joined by commas. A leading `-` means descending, so a column whose
 * name begins with one is written `~2Dname`.
 *
 * @example
 * readOrder("year,-price"); // [{ column: "year", descending: false }, { column: "price", descending: true }]
 * @throws BadRequest for empty names, repeated columns, and more columns than a statement takes
 */
function readOrder(text: string): Order {
  if (text === "") return [];
  const order = text.split(",").map((part): Sort => {
    const descending = part.startsWith("-");
    return { column: tildeDecode(descending ? part.slice(1) : part), descending };
  });
  if (order.some(({ column }) => column === "")) throw new BadRequest("_order has an empty column name");
  if (order.length > MOST_COLUMNS) throw new BadRequest(`_order takes at most ${MOST_COLUMNS} columns`);
  const twice = order.find(({ column }, index) => order.findIndex((one) => one.column === column) < index);
  if (twice !== undefined) throw new BadRequest(`_order has the column ${twice.column} twice`);
  return order;
}

/** The argument that requests this order. */
export function orderArgument(order: Order): Pair {
  const [first, ...more] = order;
  if (first !== undefined && more.length === 0) {
    return [first.descending ? "_sort_desc" : "_sort", first.column];
  }
  return ["_order", order.map((one) => (one.descending ? "-" : "") + encodedName(one.column)).join(",")];
}

/** A leading hyphen of the name must not read as a direction. */
const encodedName = (column: string): string => tildeEncode(column).replace(/^-/, "~2D");

/** `sorted by year, price descending`; empty without an order. */
export const describeOrder = (order: Order): string =>
  order.length === 0
    ? ""
    : `sorted by ${order.map(({ column, descending }) => `${column}${descending ? " descending" : ""}`).join(", ")}`;
