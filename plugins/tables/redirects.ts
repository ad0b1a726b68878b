import { linkHeader, queryPairs, reply, withQuery, without } from "rowhouse/plugin-api";
import type { Pair, Reply, Request, Rowhouse } from "rowhouse/plugin-api";

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
