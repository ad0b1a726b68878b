import { withQuery, type MetadataBlock, type Page, type Visit } from "rowhouse/plugin-api";
import { cssClass, databaseColor } from "rowhouse/plugin-api/html";
import { contextOf, queryPairs, without, type Part } from "rowhouse/plugin-api/http";
import { columnTypesOf, pageMetadata } from "rowhouse/plugin-api/metadata";
import { facetResultsOf, type TableContext } from "rowhouse/plugin-api/contracts";

/** A page and its request, from which extras are computed. */
export interface PageVisit {
  readonly page: Page;
  readonly visit: Visit;
}

/** A key that `_extra` adds to the document. */
export interface Extra {
  readonly name: string;
  readonly description: string;
  /** The pages that have it. */
  readonly on: readonly PageName[];
  /** The part of the page that must be computed for it. */
  readonly part?: Part;
  readonly value: (described: PageVisit) => unknown;
}

export type PageName = "table" | "row" | "query";

const EVERY: readonly PageName[] = ["table", "row", "query"];
const ROWS: readonly PageName[] = ["table", "row"];
const TABLE: readonly PageName[] = ["table"];

/** The value of a key in the default document. */
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
  facetResultsOf(page) as readonly FacetResult[];

/** Facets with most values first; with equally many, the last name first. */
const sortedFacets = (described: PageVisit): readonly FacetResult[] =>
  facetResults(described).toSorted(
    (one, other) => other.results.length - one.results.length || (one.name < other.name ? 1 : -1),
  );

function descriptiveMetadata({ page }: PageVisit): MetadataBlock {
  const own = (page.context?.["metadata"] ?? {}) as MetadataBlock;
  return { ...pageMetadata(own), columns: own["columns"] ?? {} };
}

/** Types of the columns that the actor may read. */
async function columnTypes({ page, visit }: PageVisit): Promise<unknown> {
  const { table } = contextOf<"table" | "row">(page);
  const types = await columnTypesOf(visit, databaseName({ page, visit }), table.name);
  const typed = table.columns.flatMap(({ name }) => {
    const known = types?.get(name) ?? null;
    return known === null ? [] : [[name, known.given] as const];
  });
  return new Map(typed);
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
  // With `_extra`, the request has a query string.
  const fullPath = `${path}?${request.queryString}`;
  const names = [...new Set(request.query.keys())];
  return {
    url: rowhouse.urls.absolute(request, fullPath),
    path,
    full_path: fullPath,
    host: request.headers["host"] ?? null,
    args: new Map(names.map((name) => [name, request.query.getAll(name)])),
  };
}

const debugFacts = ({ visit: { route, target, format, request } }: PageVisit): object => ({
  route: route.name,
  target: target.kind,
  format,
  nofacet: Boolean(request.query.get("_nofacet")),
  nosuggest: Boolean(request.query.get("_nosuggest")),
});

/** All extras, in the order in which `_extra=extras` lists them. */
export const extras: readonly Extra[] = [
  {
    name: "count",
    description: "Rows that match; null when counting takes too long",
    on: TABLE,
    part: "count",
    value: (described) =>
      described.page.data["filtered_table_rows_count_estimated"] === true
        ? null
        : published("filtered_table_rows_count")(described),
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
    description: "Suggested facets",
    on: TABLE,
    part: "suggestions",
    value: published("suggested_facets"),
  },
  {
    name: "human_description_en",
    description: "Filters and order as text",
    on: TABLE,
    value: published("human_description_en"),
  },
  { name: "next_url", description: "URL of the next page", on: TABLE, value: published("next_url") },
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
    description: "Key values of the row, from its URL",
    on: ["row"],
    value: published("primary_key_values"),
  },
  {
    name: "foreign_key_tables",
    description: "Number of rows in other tables that reference the row",
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
  { name: "column_types", description: "Configured types of columns", on: ROWS, value: columnTypes },
  {
    name: "query",
    description: "The statement and its parameters",
    on: ["table", "query"],
    value: published("query"),
  },
  {
    name: "query_name",
    description: "Name of the canned query",
    on: ["query"],
    value: published("query_name"),
  },
  { name: "filters", description: "Active filters", on: TABLE, value: fromTable(({ filters }) => filters) },
  {
    name: "form_hidden_args",
    description: "Arguments for hidden form fields",
    on: TABLE,
    value: fromTable(({ hiddenArguments }) => hiddenArguments),
  },
  {
    name: "metadata",
    description: "Title, description, source and license",
    on: EVERY,
    value: descriptiveMetadata,
  },
  { name: "database", description: "Name of the database", on: EVERY, value: published("database") },
  { name: "database_color", description: "Colour of the database", on: EVERY, value: color },
  { name: "table", description: "Name of the table", on: ROWS, value: published("table") },
  { name: "is_view", description: "Whether the table is a view", on: TABLE, value: published("is_view") },
  {
    name: "table_definition",
    description: "CREATE statements of the table and its indexes",
    on: TABLE,
    value: fromTable(({ isView, definition, furtherDefinitions }) =>
      isView || definition === null ? null : [definition, ...furtherDefinitions].join(";\n"),
    ),
  },
  {
    name: "view_definition",
    description: "CREATE statement of the view",
    on: TABLE,
    value: fromTable(({ isView, definition }) => (isView ? definition : null)),
  },
  {
    name: "private",
    description: "Anonymous clients may not view this page",
    on: EVERY,
    value: ({ visit }) => visit.private,
  },
  {
    name: "allow_execute_sql",
    description: "The actor may run SQL on this database",
    on: ["table", "query"],
    value: published("allow_execute_sql"),
  },
  {
    name: "custom_table_templates",
    description: "Templates that can replace the rows of the HTML page",
    on: TABLE,
    value: templates,
  },
  { name: "renderers", description: "URLs of this page in other formats", on: EVERY, value: renderers },
  { name: "request", description: "The parsed request", on: EVERY, value: requestFacts },
  { name: "debug", description: "Route, target and format of the request", on: EVERY, value: debugFacts },
];
