import { definePlugin, BadRequest, type Rowhouse } from "rowhouse/plugin-api";
import { SqlFailed } from "rowhouse/plugin-api/errors";
import { escapeSearch } from "rowhouse/plugin-api/sql";
import type { FilterClause } from "rowhouse/plugin-api/contracts";
import { fullTextOf, namedIndex } from "./full-text.js";
import type { SearchSetup, SearchRequest } from "./full-text.js";
import { startingWith } from "./prefix.js";

/** Full-text search on table pages: `_search` and `_search_<column>`. */
export default definePlugin({
  name: "search",
  deterministic: true,
  unguarded: true,
  provides: ["search"],
  requires: ["rowAccess"],
  optional: ["metadata"],
  apply(rowhouse) {
    rowhouse.provide("search", {
      startingWith: (searched, text) => startingWith(rowhouse, searched, text),
    });
  },
  filters_from_request: (rowhouse, page) => searchClauses(rowhouse, page),
  extend_table: async (rowhouse, { visit, selection }) => {
    const { request, actor, target } = visit;
    const { database, table } = selection;
    const page = { request, actor, database, table, source: target.source };
    const fullText = await fullTextOf(rowhouse, page);
    if (fullText === null) return null;
    return { context: { searchable: true, search: request.query.get("_search") ?? "" } };
  },
});

/** `_search_name=anvil`, and its position among the search arguments. */
interface ColumnSearch {
  readonly column: string;
  readonly text: string;
  readonly place: number;
}

const COLUMN_PREFIX = "_search_";

/**
 * Conditions for `_search`, or else for every `_search_<column>`. Blank searches and tables without a full-text index
 * add no condition.
 *
 * @throws BadRequest for a column that is not in the index, SqlFailed if a named index does not exist
 */
export async function searchClauses(
  rowhouse: Rowhouse,
  searched: SearchRequest,
): Promise<readonly FilterClause[]> {
  const { query } = searched.request;
  const everywhere = query.get("_search");
  const inColumns = everywhere === null ? columnSearches(query) : [];
  if (everywhere === null && inColumns.length === 0) return [];
  const setup = await fullTextOf(rowhouse, searched);
  if (setup === null) return missingIndex(namedIndex(rowhouse, searched));
  if (everywhere !== null)
    return isBlank(everywhere, setup) ? [] : [searchClause(searched, setup, everywhere)];
  const columns = new Set(setup.index.columns.map(({ name }) => name));
  if (inColumns.some(({ column }) => !columns.has(column))) {
    throw new BadRequest("Cannot search by that column");
  }
  return inColumns
    .filter(({ text }) => !isBlank(text, setup))
    .map((search) => columnClause(searched, setup, search));
}

/** An index that the actor may not view gives the same error as one that does not exist. */
function missingIndex(named: string | null): readonly FilterClause[] {
  if (named === null) return [];
  throw new SqlFailed(`no such table: ${named}`, "other");
}

function columnSearches(query: URLSearchParams): readonly ColumnSearch[] {
  const names = [...new Set(query.keys())].filter((name) => name.startsWith(COLUMN_PREFIX));
  return names.map((name, place) => ({
    column: name.slice(COLUMN_PREFIX.length),
    text: query.get(name) ?? "",
    place,
  }));
}

const isBlank = (text: string, { raw }: SearchSetup): boolean =>
  (raw ? text.trim() : escapeSearch(text)) === "";

function searchClause(searched: SearchRequest, setup: SearchSetup, text: string): FilterClause {
  return {
    where: matching(searched, setup, null, "search"),
    ...leakproof(setup),
    params: { search: text },
    description: `search matches "${text}"`,
  };
}

function columnClause(
  searched: SearchRequest,
  setup: SearchSetup,
  { column, text, place }: ColumnSearch,
): FilterClause {
  const parameter = `search_${place}`;
  return {
    where: matching(searched, setup, column, parameter),
    ...leakproof(setup),
    params: { [parameter]: text },
    description: `search column "${column}" matches "${text}"`,
  };
}

/** A raw search with a syntax error fails as soon as it is evaluated for a row, so it is not leakproof. */
const leakproof = ({ key, raw }: SearchSetup): Pick<FilterClause, "leakproof"> =>
  raw ? {} : { leakproof: [key] };

const matching = (
  { database }: SearchRequest,
  { index, key, raw }: SearchSetup,
  column: string | null,
  parameter: string,
): string => database.dialect.fullTextMatch({ index, column, key, parameter, raw });
