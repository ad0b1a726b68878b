import { withQuery } from "rowhouse/plugin-api";
import { queryPairs, without, type Pair } from "rowhouse/plugin-api/http";
import { currentMetadata, publishedAttribution } from "rowhouse/plugin-api/metadata";
import type { TableContext } from "rowhouse/plugin-api/contracts";
import { isFilterArgument } from "./column-filters.js";
import type { PagePlan } from "./page-statements.js";
import { operators } from "./operators.js";
import { orderArgument } from "./page-arguments.js";
import { pagePlace } from "./rows-before.js";
import { columnFacts } from "./table-facts.js";
import type { TablePlan, TableResults, TableVisit } from "./table-plan.js";

/** The published document, with keys in published order. */
export function tableDocument(
  tablePlan: TablePlan,
  { page, count, extensions, allowExecuteSql }: TableResults,
  started: number,
): Readonly<Record<string, unknown>> {
  const { visit, metadata, plan, statements, description, expandable, labelled } = tablePlan;
  const { table } = plan.facts;
  const next = page?.next ?? null;
  return {
    database: plan.database.name,
    table: table.name,
    is_view: table.kind === "view",
    human_description_en: description,
    rows: [],
    truncated: false,
    filtered_table_rows_count: count?.rows ?? null,
    ...(count?.kind === "estimate" && { filtered_table_rows_count_estimated: true }),
    ...(count?.kind === "pending" && { filtered_table_rows_count_pending: true }),
    expanded_columns: labelled.map(({ column }) => column),
    expandable_columns: expandable.map(({ column, otherTable, otherColumn, labelColumn }) => [
      { column, other_table: otherTable, other_column: otherColumn },
      labelColumn,
    ]),
    columns: plan.columns,
    primary_keys: table.primaryKeys,
    units: metadata["units"] ?? {},
    query: statements.published,
    facet_results: {},
    suggested_facets: [],
    ...Object.assign({}, ...extensions.map(({ data }) => data)),
    next,
    next_url: next === null ? null : nextUrl(visit, plan, next),
    private: visit.private,
    allow_execute_sql: allowExecuteSql,
    query_ms: performance.now() - started,
    ...publishedAttribution(currentMetadata(visit.rowhouse).document),
  };
}

/** URL of the next page. `_next` comes last, followed only by the order, which may be from the metadata. */
function nextUrl({ rowhouse, request }: TableVisit, { order, facts }: PagePlan, next: string): string {
  const added: Pair[] = order.length === 0 || facts.pagingKeys.length === 0 ? [] : [orderArgument(order)];
  const replaced = added.length === 0 ? [] : ["_order", ...added.map(([name]) => name)];
  const kept = without(queryPairs(request), "_next", ...replaced);
  const path = withQuery(request.path, [...kept, ["_next", next], ...added]);
  return rowhouse.urls.absolute(request, rowhouse.urls.path(path));
}

const NOT_HIDDEN_FIELDS = new Set(["_sort", "_sort_desc", "_search", "_next"]);

/** What HTML pages and other formats need in addition to the document. */
export function tableContext(
  tablePlan: TablePlan,
  { page, count, extensions, allowExecuteSql, before }: TableResults,
): TableContext {
  const { visit, metadata, plan, statements, filters, description, expandable } = tablePlan;
  const { facts, order } = plan;
  const [sort = null, ...more] = order;
  const isOne = more.length === 0;
  const { table } = visit.target;
  const next = page?.next ?? null;
  return {
    database: plan.database,
    table: facts.table,
    isView: table.kind === "view",
    metadata,
    columns: columnFacts(facts, plan.columns, metadata, expandable),
    filterColumns: facts.columns,
    operators,
    filters,
    conditions: plan.clauses.flatMap(({ argument, description }) =>
      argument === undefined ? [] : [{ text: description ?? argument[1], argument }],
    ),
    hiddenArguments: [...visit.request.query].filter(
      (pair) => !isFilterArgument(pair) && !NOT_HIDDEN_FIELDS.has(pair[0]),
    ),
    order,
    sort: isOne && sort?.descending === false ? sort.column : null,
    sortDesc: isOne && sort?.descending === true ? sort.column : null,
    pageSize: plan.size,
    sizeLimited: plan.size < plan.requestedSize,
    humanDescription: description,
    count: count?.rows ?? null,
    countIsEstimate: count?.kind === "estimate",
    countIsPending: count?.kind === "pending",
    nextUrl: next === null ? null : nextUrl(visit, plan, next),
    ...pagePlace(visit, plan, before),
    keys: facts.keys,
    expandable,
    query: statements.editable(),
    allowExecuteSql,
    definition: facts.table.sql,
    furtherDefinitions: [
      ...facts.table.indexes.flatMap(({ sql }) => sql ?? []),
      ...facts.table.triggers.map(({ sql }) => sql),
    ],
    ...Object.assign({}, ...extensions.map(({ context }) => context)),
  };
}
