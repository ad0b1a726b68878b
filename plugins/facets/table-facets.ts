import {
  BadRequest,
  jsonText,
  type HookTable,
  type MetadataBlock,
  type Rowhouse,
  type Visit,
} from "rowhouse/plugin-api";
import { hasColumn, paramsKey } from "rowhouse/plugin-api/engine";
import { PluginError, QueryInterrupted, SqlFailed } from "rowhouse/plugin-api/errors";
import type { HookFunction } from "rowhouse/plugin-api/kernel";
import { currentMetadata, visibleMetadata } from "rowhouse/plugin-api/metadata";
import type {
  FacetClass,
  Selection,
  SuggestionQuestion,
  TableExtension,
} from "rowhouse/plugin-api/contracts";
import { readSelection, requireColumn } from "./read.js";
import { facetLinks, countOmittedLinks, facetResults, type FacetLinks, type FoundFacet } from "./results.js";
import { facetArgument, facetSize, requestedFacets, type RequestedFacet } from "./requested.js";
import { keptIfSlow } from "./suggestion-cache.js";

interface TablePage {
  readonly visit: Visit<"table">;
  readonly selection: Selection;
  readonly count: number | null;
}

/** The function that adds facets to table pages. The kinds of facets are collected before the first page. */
export function facetExtender(rowhouse: Rowhouse): HookFunction<HookTable["extend_table"]> {
  let classes: Promise<readonly FacetClass[]> | null = null;
  return async (_rowhouse, page) => {
    if (!wantsFacets(page.visit)) return null;
    classes ??= rowhouse.hooks.register_facet_classes.promise([], rowhouse, {});
    return extendWithFacets(rowhouse, page, await classes);
  };
}

/** True if the page shows facets. @throws BadRequest for facet arguments if facets are disabled */
function wantsFacets({ rowhouse, request, wants }: Visit<"table">): boolean {
  const { query } = request;
  if (!rowhouse.setting("allow_facet") && [...query.keys()].some((name) => name.startsWith("_facet"))) {
    throw new BadRequest("_facet= is not allowed");
  }
  return wants.parts.has("facets") && !query.get("_nofacet");
}

/** The facets of a table page and suggestions for more. @throws BadRequest for unknown columns */
async function extendWithFacets(
  rowhouse: Rowhouse,
  page: TablePage,
  classes: readonly FacetClass[],
): Promise<TableExtension> {
  const { visit, selection, count } = page;
  const { query } = visit.request;
  const metadata = await metadataOf(rowhouse, selection, visit.request.receivedMs);
  const requestedSize = facetSize(query, metadata, {
    defaultSize: rowhouse.setting("default_facet_size"),
    maxSize: rowhouse.setting("max_returned_rows"),
  });
  const types = classes.map(({ type }) => type);
  const columns = selection.table.columns.map(({ name }) => name);
  // A mistake in the metadata, which is reported at the start, breaks no page.
  const requested = requestedFacets(types, metadata, query, columns).filter(
    ({ configured, column }) => !configured || hasColumn(selection.table, column),
  );
  const size = Math.min(requestedSize, Math.floor(MAX_VALUES / Math.max(1, requested.length)));
  const question = { visit, selection, size, timeLimitMs: rowhouse.setting("facet_time_limit_ms") };
  const [found, suggested] = await Promise.all([
    findFacets(classes, requested, question),
    // No rows have no values to choose from. Reading that for each column would take a statement each.
    count !== 0 && wantsSuggestions(visit)
      ? suggestions(rowhouse, classes, requested, {
          ...question,
          count,
          timeLimitMs: rowhouse.setting("facet_suggest_time_limit_ms"),
        })
      : [],
  ]);
  // Most pages of most clients have no facets: then there is nothing to link.
  if (found.length === 0 && suggested.length === 0) return { data: {}, context: NO_FACETS };
  const links = facetLinks(rowhouse, visit.request);
  const data = {
    facet_results: await facetResults(links, found.filter(isFound), { size, client: visit.request }),
    suggested_facets: suggested.map((facet) => suggestion(links, facet)),
  };
  return {
    data,
    context: {
      facetLinksOmitted: countOmittedLinks(links) > 0,
      facetsTimedOut: requested.filter((_, index) => found[index] === null).map(({ column }) => column),
    },
  };
}

const NO_FACETS = { facetLinksOmitted: false, facetsTimedOut: [] };

/** Limit for the values of all facets of a page together. Facets with more values are marked as truncated. */
const MAX_VALUES = 10_000;

const isFound = (found: FoundFacet | null): found is FoundFacet => found !== null;

/** The table's metadata without hidden columns, so that it does not request facets of them. */
async function metadataOf(
  rowhouse: Rowhouse,
  { database, table }: Selection,
  sinceMs: number,
): Promise<MetadataBlock> {
  const block = currentMetadata(rowhouse).table(database.name, table.name);
  return visibleMetadata(block, await database.schema(sinceMs), table);
}

type Question = Omit<SuggestionQuestion, "count">;

/** The time limit for all facets of a page, as a multiple of the limit for one. */
const TOTAL_TIME_FACTOR = 10;

/**
 * The values of each facet; null for facets that exceed a time limit. One reading connection stays free for other
 * pages of the database. Facets that have not begun when the total time limit is reached are not computed.
 */
async function findFacets(
  classes: readonly FacetClass[],
  facets: readonly RequestedFacet[],
  question: Question,
): Promise<readonly (FoundFacet | null)[]> {
  const { rowhouse } = question.visit;
  const end = performance.now() + TOTAL_TIME_FACTOR * question.timeLimitMs;
  const found: (FoundFacet | null)[] = facets.map(() => null);
  const waiting = facets.map((facet, place) => ({ facet, place }));
  const failures = new Map<number, unknown>();
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (performance.now() > end) return;
      const { facet, place } = next;
      try {
        found[place] = await findFacet(classes, facet, question);
      } catch (error) {
        failures.set(place, error);
        waiting.length = 0;
      }
    }
  };
  const connections = Math.max(1, rowhouse.setting("num_sql_threads") - 1);
  await Promise.all(Array.from({ length: connections }, work));
  // Several facets may fail at the same time. The page always has the error of the first one.
  if (failures.size > 0) throw failures.get(Math.min(...failures.keys()));
  return found;
}

/** The values of one facet; null if it exceeds the time limit or its plugin fails. @throws InvalidSql for an unknown column */
async function findFacet(
  classes: readonly FacetClass[],
  facet: RequestedFacet,
  question: Question,
): Promise<FoundFacet | null> {
  const facetClass = classes.find(({ type }) => type === facet.type);
  if (facetClass === undefined) return null;
  requireColumn(question.selection, facet.column);
  try {
    return { facet, values: await facetClass.values({ ...question, column: facet.column }) };
  } catch (error) {
    if (error instanceof QueryInterrupted) return null;
    if (await logPluginFailure(question, facetClass, error)) return null;
    throw error;
  }
}

/** Logs the failure of a facet class from another plugin; the page is shown without it. False for other errors. */
async function logPluginFailure(
  question: Question,
  facetClass: FacetClass,
  error: unknown,
): Promise<boolean> {
  const { rowhouse } = question.visit;
  const plugin = rowhouse.pluginOf(facetClass);
  if (plugin === null) return false;
  if (error instanceof SqlFailed ? await isRejected(question) : error instanceof BadRequest) return false;
  const { message } = new PluginError(plugin, `the facet ${facetClass.type}`, error);
  rowhouse.log.error(message, error);
  return true;
}

/** True if the engine rejects the conditions of the page without any facet, or they fail for a row. */
async function isRejected({ visit, selection, timeLimitMs }: Question): Promise<boolean> {
  const sql = `select count(*) ${selection.fromWhere}`;
  const counting = readSelection(visit, selection, { sql, columns: ["count"], timeLimitMs });
  return counting.then(
    () => false,
    (error: unknown) => error instanceof SqlFailed,
  );
}

function wantsSuggestions({ rowhouse, wants, request }: Visit<"table">): boolean {
  const { query } = request;
  return (
    wants.parts.has("suggestions") &&
    rowhouse.setting("suggest_facets") &&
    rowhouse.setting("allow_facet") &&
    !query.get("_next") &&
    !query.get("_nosuggest")
  );
}

/** Suggested facets, grouped by type and in column order, without facets that are already on the page. */
async function suggestions(
  rowhouse: Rowhouse,
  classes: readonly FacetClass[],
  requested: readonly RequestedFacet[],
  question: SuggestionQuestion,
): Promise<readonly SuggestedFacet[]> {
  const columns = await Promise.all(
    classes.map((facetClass) =>
      suggestedColumns(rowhouse, facetClass, question).catch(async (error: unknown) => {
        if (await logPluginFailure(question, facetClass, error)) return [];
        throw error;
      }),
    ),
  );
  return classes.flatMap(({ type }, index) => {
    const existing = new Set(requested.filter((facet) => facet.type === type).map(({ column }) => column));
    // An argument without a value requests no facet, so none of a column with the empty name.
    const suggested = (columns[index] ?? []).filter((column) => column !== "" && !existing.has(column));
    return suggested.map((column) => ({ type, column }));
  });
}

/** Cached until the data changes, or longer if they take long. */
function suggestedColumns(
  rowhouse: Rowhouse,
  facetClass: FacetClass,
  question: SuggestionQuestion,
): Promise<readonly string[]> {
  const { visit, selection, size, count } = question;
  const { database, columns, fromWhere, params } = selection;
  const about = jsonText([facetClass.type, size, fromWhere, paramsKey(params)]);
  // Of the number of rows it matters whether it is known: each insert changes it.
  const key = jsonText([about, columns, count === null]);
  const compute = (): Promise<readonly string[]> =>
    rowhouse
      .service("tables")
      .cached(visit.request, selection, `suggest ${about} ${count}`, () => facetClass.suggest(question));
  return keptIfSlow({ database, key }, compute, () => !visit.request.signal.aborted);
}

interface SuggestedFacet {
  readonly type: string;
  readonly column: string;
}

function suggestion({ absolute }: FacetLinks, { type, column }: SuggestedFacet): object {
  const url = absolute.with([facetArgument(type), column]);
  return type === "column" ? { name: column, toggle_url: url } : { name: column, type, toggle_url: url };
}
