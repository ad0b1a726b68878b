import {
  contextOf,
  cssClass,
  databaseColor,
  pageMetadata,
  queryPairs,
  withQuery,
  without,
} from "rowhouse/plugin-api";
import type { MetadataBlock, Page, Part, TableContext, Visit } from "rowhouse/plugin-api";

/** A page being described piece by piece. */
export interface PageVisit {
  readonly page: Page;
  readonly visit: Visit;
}

/** One key that may be added to the small document. */
export interface Extra {
  readonly name: string;
  readonly description: string;
  /** The pages that have it. */
  readonly on: readonly PageName[];
  /** The part of the page that has to be computed for it. */
  readonly part?: Part;
  readonly value: (described: PageVisit) => unknown;
}

export type PageName = "table" | "row" | "query";

const EVERY: readonly PageName[] = ["table", "row", "query"];
const ROWS: readonly PageName[] = ["table", "row"];
const TABLE: readonly PageName[] = ["table"];

/** What the default document calls the same. */
const published =
  (key: string) =>
  ({ page }: PageVisit): unknown =>
    page.data[key] ?? null;

const tableContext = ({ page }: PageVisit): TableContext => contextOf<"table">(page);

const fromTable =
  (read: (context: TableContext) => unknown) =>
  (described: PageVisit): unknown =>
    read(tableContext(described));

const databaseName = ({ page }: PageVisit): string => String(page.data["database"]);

interface FacetResult {
  readonly name: string;
  readonly results: readonly unknown[];
}

const facetResults = ({ page }: PageVisit): readonly FacetResult[] =>
  Object.values((page.data["facet_results"] ?? {}) as Readonly<Record<string, FacetResult>>);

/** Most values first, and of equally many the last name. */
const sortedFacets = (described: PageVisit): readonly FacetResult[] =>
  facetResults(described).toSorted(
    (one, other) => other.results.length - one.results.length || (one.name < other.name ? 1 : -1),
  );

function descriptiveMetadata({ page }: PageVisit): MetadataBlock {
  const own = (page.context?.["metadata"] ?? {}) as MetadataBlock;
  return { ...pageMetadata(own), columns: own["columns"] ?? {} };
}

/** Of the columns that the visitor may read. */
async function columnTypes({ page, visit }: PageVisit): Promise<unknown> {
  const { rowhouse, request } = visit;
  const { table } = page.context as unknown as Pick<TableContext, "table">;
  const types = await rowhouse
    .serviceIfAny("columnTypes")
    ?.of(databaseName({ page, visit }), table.name, request.receivedMs);
  const typed = table.columns.flatMap(({ name }) => {
    const known = types?.get(name) ?? null;
    return known === null ? [] : [[name, known.given] as const];
  });
  return Object.fromEntries(typed);
}

async function color({ visit }: PageVisit): Promise<string | null> {
  if (!("database" in visit.target)) return null;
  const { database } = visit.target;
  return databaseColor(database.name, (await database.describe()).hash);
}

function templates(described: PageVisit): readonly string[] {
  const [database, table] = [databaseName(described), String(described.page.data["table"])].map(cssClass);
  const own = `${database}-${table}.html`;
  return [`_table-${own}`, `_table-${described.page.name}-${own}`, "_table.html"];
}

function renderers({ page, visit }: PageVisit): Readonly<Record<string, string>> {
  const { rowhouse, request, basePath } = visit;
  const offered = [...rowhouse.renderers.values()].filter((renderer) => renderer.canRender?.(page) === true);
  const kept = without(queryPairs(request), "_format");
  return Object.fromEntries(
    offered.map(({ extension }) => [
      extension,
      rowhouse.urls.path(withQuery(`${basePath}.${extension}`, kept)),
    ]),
  );
}

function requestFacts({ visit: { rowhouse, request } }: PageVisit): object {
  const path = rowhouse.urls.path(request.path);
  const fullPath = request.queryString === "" ? path : `${path}?${request.queryString}`;
  const names = [...new Set(request.query.keys())];
  return {
    url: rowhouse.urls.absolute(request, fullPath),
    path,
    full_path: fullPath,
    host: request.headers["host"] ?? null,
    args: Object.fromEntries(names.map((name) => [name, request.query.getAll(name)])),
  };
}

const debugFacts = ({ visit: { route, target, format, request } }: PageVisit): object => ({
  route: route.name,
  target: target.kind,
  format,
  nofacet: Boolean(request.query.get("_nofacet")),
  nosuggest: Boolean(request.query.get("_nosuggest")),
});

/** In the order in which `extras` lists them. */
export const extras: readonly Extra[] = [
  {
    name: "count",
    description: "Rows that match; null when counting takes too long",
    on: TABLE,
    part: "count",
    value: published("filtered_table_rows_count"),
  },
  {
    name: "facet_results",
    description: "Values of each facet, and the facets that took too long",
    on: TABLE,
    part: "facets",
    value: (described) => ({
      results: published("facet_results")(described),
      timed_out: tableContext(described).facetsTimedOut ?? [],
    }),
  },
  {
    name: "sorted_facet_results",
    description: "The same facets, those with most values first",
    on: TABLE,
    part: "facets",
    value: sortedFacets,
  },
  {
    name: "suggested_facets",
    description: "Columns that would make good facets",
    on: TABLE,
    part: "suggestions",
    value: published("suggested_facets"),
  },
  {
    name: "human_description_en",
    description: "Filters and order in words",
    on: TABLE,
    value: published("human_description_en"),
  },
  { name: "next_url", description: "The address of the next page", on: TABLE, value: published("next_url") },
  { name: "columns", description: "Names of the columns shown", on: EVERY, value: published("columns") },
  {
    name: "all_columns",
    description: "Names of all columns, shown or not",
    on: TABLE,
    value: fromTable(({ filterColumns }) => filterColumns),
  },
  {
    name: "primary_keys",
    description: "Columns of the primary key",
    on: ROWS,
    value: published("primary_keys"),
  },
  {
    name: "primary_key_values",
    description: "Key values of the row, from its address",
    on: ["row"],
    value: published("primary_key_values"),
  },
  {
    name: "foreign_key_tables",
    description: "How many rows of other tables point at the row",
    on: ["row"],
    part: "foreign_key_tables",
    value: ({ page }) => page.context?.["foreignKeyTables"] ?? [],
  },
  {
    name: "expandable_columns",
    description: "Columns whose values can be labelled",
    on: TABLE,
    value: published("expandable_columns"),
  },
  { name: "units", description: "Units of columns", on: ROWS, value: published("units") },
  { name: "column_types", description: "Types given to columns", on: ROWS, value: columnTypes },
  {
    name: "query",
    description: "The statement and its parameters",
    on: ["table", "query"],
    value: published("query"),
  },
  { name: "query_name", description: "The saved query", on: ["query"], value: published("query_name") },
  { name: "filters", description: "Filters in force", on: TABLE, value: fromTable(({ filters }) => filters) },
  {
    name: "form_hidden_args",
    description: "Arguments that a form has to carry on",
    on: TABLE,
    value: fromTable(({ hiddenArguments }) => hiddenArguments),
  },
  {
    name: "metadata",
    description: "Title, description, source and the like",
    on: EVERY,
    value: descriptiveMetadata,
  },
  { name: "database", description: "Name of the database", on: EVERY, value: published("database") },
  { name: "database_color", description: "Colour of the database", on: EVERY, value: color },
  { name: "table", description: "Name of the table", on: ROWS, value: published("table") },
  { name: "is_view", description: "It is a view", on: TABLE, value: published("is_view") },
  {
    name: "table_definition",
    description: "SQL that made the table, and its indexes",
    on: TABLE,
    value: fromTable(({ isView, definition, furtherDefinitions }) =>
      isView || definition === null ? null : [definition, ...furtherDefinitions].join(";\n"),
    ),
  },
  {
    name: "view_definition",
    description: "SQL that made the view",
    on: TABLE,
    value: fromTable(({ isView, definition }) => (isView ? definition : null)),
  },
  {
    name: "private",
    description: "Strangers may not see this",
    on: EVERY,
    value: ({ visit }) => visit.private,
  },
  {
    name: "allow_execute_sql",
    description: "You may run SQL here",
    on: ["table", "query"],
    value: published("allow_execute_sql"),
  },
  {
    name: "custom_table_templates",
    description: "Templates that would show the rows",
    on: TABLE,
    value: templates,
  },
  { name: "renderers", description: "Addresses of the same in other formats", on: EVERY, value: renderers },
  { name: "request", description: "The request as it was understood", on: EVERY, value: requestFacts },
  { name: "debug", description: "How the address was taken", on: EVERY, value: debugFacts },
];
