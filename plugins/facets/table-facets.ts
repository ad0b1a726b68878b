import { BadRequest, PluginError, QueryInterrupted, jsonText, visibleMetadata } from "rowhouse/plugin-api";
import type {
  FacetClass,
  MetadataBlock,
  Rowhouse,
  Selection,
  SuggestionQuestion,
  TableExtension,
  Visit,
} from "rowhouse/plugin-api";
import { facetLinks, countOmittedLinks, facetResults } from "./results.js";
import type { FacetLinks, FoundFacet } from "./results.js";
import { facetArgument, facetSize, requestedFacets } from "./requested.js";
import type { RequestedFacet } from "./requested.js";

interface TablePage {
  readonly visit: Visit<"table">;
  readonly selection: Selection;
  readonly count: number | null;
}

/**
 * The facets of a table page and the suggestions for more, as far as the renderer shows them.
 *
 * @throws BadRequest for facet arguments where facets are switched off, and unknown columns
 */
export async function extendWithFacets(rowhouse: Rowhouse, page: TablePage): Promise<TableExtension | null> {
  const { visit, selection, count } = page;
  const { query } = visit.request;
  if (!rowhouse.setting("allow_facet") && [...query.keys()].some((name) => name.startsWith("_facet"))) {
    throw new BadRequest("_facet= is not allowed");
  }
  const wantsFacets = visit.wants.parts.has("facets") && !query.get("_nofacet");
  if (!wantsFacets) return null;
  const classes = await rowhouse.hooks.register_facet_classes.promise([], rowhouse, {});
  const metadata = await metadataOf(rowhouse, selection);
  const asked = facetSize(query, metadata, {
    usual: rowhouse.setting("default_facet_size"),
    most: rowhouse.setting("max_returned_rows"),
  });
  const types = classes.map(({ type }) => type);
  const columns = selection.table.columns.map(({ name }) => name);
  const requested = requestedFacets(types, metadata, query, columns);
  const size = Math.min(asked, Math.floor(MAX_VALUES / Math.max(1, requested.length)));
  const question = { visit, selection, size, timeLimitMs: rowhouse.setting("facet_time_limit_ms") };
  const [found, suggested] = await Promise.all([
    findFacets(classes, requested, question),
    wantsSuggestions(rowhouse, visit)
      ? suggestions(rowhouse, classes, requested, {
          ...question,
          count,
          timeLimitMs: rowhouse.setting("facet_suggest_time_limit_ms"),
        })
      : [],
  ]);
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

/** The most values of all facets of a page; the facets then say that they have more. */
const MAX_VALUES = 10_000;

const isFound = (found: FoundFacet | null): found is FoundFacet => found !== null;

/** As far as its columns are shown: nobody who may not see one asked for its facet. */
async function metadataOf(rowhouse: Rowhouse, { database, table }: Selection): Promise<MetadataBlock> {
  const block = rowhouse.serviceIfAny("metadata")?.current().table(database.name, table.name) ?? {};
  return visibleMetadata(block, await database.schema(), table);
}

type Question = Omit<SuggestionQuestion, "count">;

/** All facets of a page may take this many times the limit of one. */
const TOTAL_TIME_FACTOR = 10;

/**
 * The values of each facet, null for those that take too long. Facets never use all reading connections, and those
 * that are left when the time of all is over are not computed: other pages of the database are not delayed.
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
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (performance.now() > end) return;
      found[next.place] = await findFacet(classes, next.facet, question);
    }
  };
  const connections = Math.max(1, rowhouse.setting("num_sql_threads") - 1);
  await Promise.all(Array.from({ length: connections }, work));
  return found;
}

/** Null when it takes too long. */
async function findFacet(
  classes: readonly FacetClass[],
  facet: RequestedFacet,
  question: Question,
): Promise<FoundFacet | null> {
  const facetClass = classes.find(({ type }) => type === facet.type);
  if (facetClass === undefined) return null;
  try {
    return { facet, values: await facetClass.values({ ...question, column: facet.column }) };
  } catch (error) {
    if (error instanceof QueryInterrupted) return null;
    if (logPluginFailure(question.visit.rowhouse, facetClass, error)) return null;
    throw error;
  }
}

/** The kind of facet that a plugin brought is missing from the page where it fails; the failure is logged. */
function logPluginFailure(rowhouse: Rowhouse, facetClass: FacetClass, error: unknown): boolean {
  const author = rowhouse.pluginOf(facetClass);
  if (author === null || error instanceof BadRequest) return false;
  const { message } = new PluginError(author, `the facet ${facetClass.type}`, error);
  rowhouse.log.error(message, error);
  return true;
}

function wantsSuggestions(rowhouse: Rowhouse, { wants, request }: Visit<"table">): boolean {
  const { query } = request;
  return (
    wants.parts.has("suggestions") &&
    rowhouse.setting("suggest_facets") &&
    rowhouse.setting("allow_facet") &&
    !query.get("_next") &&
    !query.get("_nosuggest")
  );
}

/** Facets worth trying: those of one type together, columns in table order, without those that are there. */
async function suggestions(
  rowhouse: Rowhouse,
  classes: readonly FacetClass[],
  requested: readonly RequestedFacet[],
  question: SuggestionQuestion,
): Promise<readonly SuggestedFacet[]> {
  const { visit, selection, size, count } = question;
  const tables = rowhouse.service("tables");
  const columns = await Promise.all(
    classes.map((facetClass) => {
      const key = `suggest ${jsonText([facetClass.type, size, count, selection.fromWhere, selection.params])}`;
      const suggest = (): Promise<readonly string[]> => facetClass.suggest(question);
      return tables.cached(visit.request, selection.database, key, suggest).catch((error: unknown) => {
        if (logPluginFailure(rowhouse, facetClass, error)) return [];
        throw error;
      });
    }),
  );
  return classes.flatMap(({ type }, index) => {
    const there = new Set(requested.filter((facet) => facet.type === type).map(({ column }) => column));
    const fresh = (columns[index] ?? []).filter((column) => !there.has(column));
    return fresh.map((column) => ({ type, column }));
  });
}

interface SuggestedFacet {
  readonly type: string;
  readonly column: string;
}

function suggestion({ absolute }: FacetLinks, { type, column }: SuggestedFacet): object {
  const url = absolute.with([facetArgument(type), column]);
  return type === "column" ? { name: column, toggle_url: url } : { name: column, type, toggle_url: url };
}
