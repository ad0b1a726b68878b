import {
  BadRequest,
  definePlugin,
  type Actor,
  type Database,
  type MetadataBlock,
  type Request,
  type Rowhouse,
  type Table,
} from "rowhouse/plugin-api";
import { isRowid } from "rowhouse/plugin-api/engine";
import { SqlFailed } from "rowhouse/plugin-api/errors";
import { escapeSearch } from "rowhouse/plugin-api/sql";
import type { FilterClause, ReadableTable } from "rowhouse/plugin-api/contracts";
import { currentMetadata } from "rowhouse/plugin-api/metadata";

/** Full-text search on table pages: `_search` and `_search_<column>`. */
export default definePlugin({
  name: "search",
  deterministic: true,
  unguarded: true,
  provides: ["search"],
  requires: ["rowAccess"],
  optional: ["metadata"],
  setup(rowhouse) {
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
  describe_api: async () => (await import("./openapi.js")).api,
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
async function searchClauses(rowhouse: Rowhouse, searched: SearchRequest): Promise<readonly FilterClause[]> {
  const { query } = searched.request;
  const everywhere = searchedEverywhere(query);
  const inColumns = everywhere === null ? columnSearches(query) : [];
  if (everywhere === null && inColumns.length === 0) return [];
  const setup = await fullTextOf(rowhouse, searched);
  if (setup === null) return missingIndex(rowhouse, searched);
  if (everywhere !== null)
    return isBlank(everywhere, setup) ? [] : [searchClause(searched, setup, everywhere)];
  const columns = new Set(setup.columns ?? setup.index.columns.map(({ name }) => name));
  if (inColumns.some(({ column }) => !columns.has(column))) {
    throw new BadRequest("Cannot search by that column");
  }
  return inColumns
    .filter(({ text }) => !isBlank(text, setup))
    .map((search) => columnClause(searched, setup, search));
}

/** The text of `_search`. A form sends its search box blank, together with the arguments of the page. */
function searchedEverywhere(query: URLSearchParams): string | null {
  const text = query.get("_search") ?? "";
  return text.trim() === "" ? null : text;
}

/**
 * An index that the request names and the actor may not view gives the same error as one that does not exist. One that the
 * metadata names is not mentioned: for this actor the table has no index.
 */
async function missingIndex(rowhouse: Rowhouse, searched: SearchRequest): Promise<readonly FilterClause[]> {
  const { request, database } = searched;
  const named = namedIndex(rowhouse, searched);
  if (named === null) return [];
  const isInMetadata = !request.query.get("_fts_table");
  if (isInMetadata && (await database.schema()).tables.has(named)) return [];
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

function matching(
  { database }: SearchRequest,
  { index, key, raw, columns }: SearchSetup,
  column: string | null,
  parameter: string,
): string {
  const searched = column === null && columns !== null ? columns : [column];
  const conditions = searched.map((one) =>
    database.dialect.fullTextMatch({ index, column: one, key, parameter, raw }),
  );
  return conditions.length === 1 ? conditions.join("") : `(${conditions.join(" or ")})`;
}

const MOST_WORDS = 12;

/** The condition that each word of a text begins a word of the row; null without an index that the actor may search. */
async function startingWith(
  rowhouse: Rowhouse,
  searched: SearchRequest,
  text: string,
): Promise<FilterClause | null> {
  const words = (text.match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, MOST_WORDS);
  const setup = words.length === 0 ? null : await fullTextOf(rowhouse, searched);
  if (setup === null) return null;
  const parameter = "starting_with";
  return {
    where: matching(searched, { ...setup, raw: true }, null, parameter),
    params: { [parameter]: searched.database.dialect.searchForPrefixes(setup.index, words) },
    // A search for words of letters and digits is never invalid.
    leakproof: [setup.key],
    description: null,
  };
}

/** The request that searches, and the searched table. */
interface SearchRequest {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly database: Database;
  readonly table: Table;
  /** The rows that the actor may read. */
  readonly source: ReadableTable;
}

/** How a table or view is searched. */
interface SearchSetup {
  /** The full-text table. */
  readonly index: Table;
  /** The column of the page's table that holds the full-text table's rowid. */
  readonly key: string;
  /** The columns of the index that the actor may read; null for all. */
  readonly columns: readonly string[] | null;
  /** Search texts are passed to SQLite as full-text expressions and may cause syntax errors. */
  readonly raw: boolean;
}

/**
 * The full-text table for a page: `_fts_table`, else the metadata's, else the one found in the schema. Null if there
 * is none, or if the actor may not view it or its content table.
 */
async function fullTextOf(rowhouse: Rowhouse, searched: SearchRequest): Promise<SearchSetup | null> {
  const { request, database, table } = searched;
  const { query } = request;
  const metadata = metadataOf(rowhouse, searched);
  const name = namedIndex(rowhouse, searched) ?? table.fullText?.table;
  const index = name === undefined ? undefined : (await database.schema()).tables.get(name);
  const key = query.get("_fts_pk") || text(metadata["fts_pk"]) || "rowid";
  if (index === undefined || !(await mayView(rowhouse, searched, { index, key }))) return null;
  const columns = columnsToSearch(searched.source, table, index);
  if (columns?.length === 0) return null;
  const mode = query.get("_searchmode");
  const wantsRaw = mode === "raw" || (metadata["searchmode"] === "raw" && mode !== "escaped");
  // In full-text tables, an expression such as `email:x` tells whether the index has this column.
  const raw = wantsRaw && (columns === null || index.fullText?.module === "tsvector");
  return { index, key, columns, raw };
}

/**
 * The columns of the index that are visible in the table of the page; null if all are, or if it indexes another table.
 * An index with hidden columns is searched one visible column at a time. So is one in a column of a restricted table,
 * whose source does not have this column.
 */
function columnsToSearch(
  { restricted }: ReadableTable,
  table: Table,
  { fullText, columns }: Table,
): readonly string[] | null {
  if (fullText?.contentTable !== table.name) return null;
  const indexed = fullText.columns ?? [];
  const names = indexed.length > 0 ? indexed : columns.flatMap((one) => (one.hidden ? [] : [one.name]));
  const visible = new Set(table.columns.map(({ name }) => name));
  const shown = names.filter((name) => visible.has(name));
  const isWhole = shown.length === names.length && !(restricted && fullText.vector !== undefined);
  return isWhole ? null : shown;
}

/** The full-text table named by the request or the metadata. */
const namedIndex = (rowhouse: Rowhouse, searched: SearchRequest): string | null =>
  searched.request.query.get("_fts_table") || text(metadataOf(rowhouse, searched)["fts_table"]);

const metadataOf = (rowhouse: Rowhouse, { database, table }: SearchRequest): MetadataBlock =>
  currentMetadata(rowhouse).table(database.name, table.name);

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** True if `key` joins each row of `table` with its own entry in the index. */
function isOwnRowKey(table: Table, index: Table, key: string): boolean {
  const indexed = CONTENT_KEY.exec(index.sql ?? "")?.[1]?.trim() ?? "rowid";
  return key === indexed || (isRowid(table, key) && isRowid(table, indexed));
}

const CONTENT_KEY = /\bcontent_rowid\s*=\s*['"`[]?([^'"`\],)]+)/i;

/** True if the actor may view the index and its content table, and if it tells nothing about hidden rows. */
async function mayView(
  rowhouse: Rowhouse,
  { actor, database, table, source }: SearchRequest,
  { index, key }: Pick<SearchSetup, "index" | "key">,
): Promise<boolean> {
  const content = index.fullText?.contentTable ?? index.name;
  const names = [index.name, content];
  const rowAccess = rowhouse.service("rowAccess");
  const allowed = await rowAccess.viewable(actor, database, names);
  if (!names.every((name) => allowed.has(name))) return false;
  const isOwn = content === table.name;
  const [searchedTable] = isOwn ? [source] : await rowAccess.readableMany(actor, database, [index]);
  // Searching reveals whether a row contains a word. The index of another table is therefore allowed only if that
  // table is unrestricted. The same holds for a table's own index with a key that may join visible with hidden rows.
  return searchedTable?.restricted === false || (isOwn && isOwnRowKey(table, index, key));
}
