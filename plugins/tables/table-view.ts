import { publishedAttribution, withQuery, without } from "rowhouse/plugin-api";
import type {
  ExpandableColumn,
  FilterClause,
  MetadataBlock,
  Page,
  Pair,
  Reply,
  TableContext,
  TableExtension,
  Visit,
} from "rowhouse/plugin-api";
import { columnFilters, filterClauses, isFilterArgument } from "./column-filters.js";
import type { ColumnFilter } from "./column-filters.js";
import { chooseColumns } from "./columns.js";
import { columnFacts } from "./columns-context.js";
import { countSelection, inspectedCount } from "./count.js";
import { humanDescription } from "./description.js";
import { columnsToLabel, expandableColumns } from "./labels.js";
import { operators } from "./operators.js";
import { readPosition } from "./page-position.js";
import { readPage, streamPage } from "./page-rows.js";
import type { PageReading, PageRows } from "./page-rows.js";
import { pageSize, rowTimeLimit } from "./page-size.js";
import { formRedirect } from "./redirects.js";
import { readable } from "./scope.js";
import { chooseSort } from "./sort.js";
import { pageStatements } from "./statement.js";
import type { PagePlan, PageStatements } from "./statement.js";
import { tableFacts } from "./table-facts.js";
import { unitsOfTable } from "./table-units.js";

type TableVisit = Visit<"table">;

/** Everything decided about a page before anything is read. */
interface Preparation {
  readonly visit: TableVisit;
  readonly metadata: MetadataBlock;
  readonly plan: PagePlan;
  readonly statements: PageStatements;
  readonly filters: readonly ColumnFilter[];
  readonly description: string;
  readonly expandable: readonly ExpandableColumn[];
  readonly labelled: readonly ExpandableColumn[];
}

/** What reading brought. */
interface Findings {
  readonly page: PageRows | null;
  readonly count: number | null;
  readonly extensions: readonly TableExtension[];
  readonly allowExecuteSql: boolean;
}

/**
 * A page of the rows of a table or view.
 *
 * @throws BadRequest for arguments that make no sense, Forbidden for those the actor may not use
 */
export async function tableView(visit: TableVisit): Promise<Page | Reply> {
  const started = performance.now();
  const redirect = formRedirect(visit.rowhouse, visit.request);
  if (redirect !== null) return redirect;
  const preparation = await prepare(visit);
  const reading: PageReading = {
    ...preparation,
    timeLimitMs: rowTimeLimit(visit.request.query, visit.rowhouse.setting("sql_time_limit_ms")),
  };
  if (visit.wants.stream) {
    const nothing = { page: null, count: null, extensions: [], allowExecuteSql: false };
    return { name: "table", data: tableDocument(preparation, nothing, started), stream: streamPage(reading) };
  }
  const findings = await gather(preparation, reading);
  return {
    name: "table",
    data: tableDocument(preparation, findings, started),
    ...(findings.page !== null && { rows: findings.page.rows }),
    context: { ...tableContext(preparation, findings) },
  };
}

async function prepare(visit: TableVisit): Promise<Preparation> {
  const { rowhouse, request, actor, target } = visit;
  const { database } = target;
  const scoped = await readable(rowhouse, actor, database, target.table);
  const facts = tableFacts(scoped.table);
  const document = rowhouse.serviceIfAny("metadata")?.current();
  const metadata = document?.table(database.name, scoped.table.name) ?? {};
  const filters = columnFilters(request.query);
  const own = filterClauses(filters, scoped.table, unitsOfTable(metadata, document?.document));
  const others = await othersClauses(visit, scoped.table);
  const sort = chooseSort(facts, request.query, metadata);
  const needsPath = facts.rowidShown && facts.pagingKeys.length === 0 && visit.wants.rows === "cells";
  const plan: PagePlan = {
    database,
    facts,
    readable: scoped,
    columns: chooseColumns(facts, request.query),
    clauses: [...own, ...others],
    sort,
    position: readPosition(request.query.get("_next"), facts, sort),
    size: pageSize(request.query, metadata, {
      usual: rowhouse.setting("default_page_size"),
      most: rowhouse.setting("max_returned_rows"),
    }),
    pathColumn: needsPath ? facts.table.rowidName : null,
  };
  const expandable = await expandableColumns(rowhouse, actor, database, scoped.table);
  return {
    visit,
    metadata,
    plan,
    statements: pageStatements(plan),
    filters,
    description: humanDescription([...others, ...own], sort),
    expandable,
    labelled: columnsToLabel(request.query, visit.wants.labels, expandable).filter(({ column }) =>
      plan.columns.includes(column),
    ),
  };
}

async function othersClauses(
  { rowhouse, request, actor, target }: TableVisit,
  table: PagePlan["facts"]["table"],
): Promise<readonly FilterClause[]> {
  const hook = rowhouse.hooks.filters_from_request;
  if (!hook.isUsed()) return [];
  return hook.promise([], rowhouse, { request, actor, database: target.database, table });
}

/** Rows on the one side, the count and what hangs on it on the other, at the same time. */
async function gather(preparation: Preparation, reading: PageReading): Promise<Findings> {
  const { visit, plan } = preparation;
  const [page, [count, extensions], allowExecuteSql] = await Promise.all([
    readPage(reading),
    countAndExtend(preparation),
    visit.rowhouse.allowed(visit.actor, "execute-sql", plan.database.name),
  ]);
  return { page, count, extensions, allowExecuteSql };
}

async function countAndExtend({
  visit,
  plan,
  statements,
}: Preparation): Promise<readonly [number | null, readonly TableExtension[]]> {
  const { rowhouse } = visit;
  const count = wantsCount(visit) ? await countPlan(visit, plan, statements) : null;
  const hook = rowhouse.hooks.extend_table;
  const extensions = hook.isUsed()
    ? await hook.promise([], rowhouse, { visit, selection: statements.selection, count })
    : [];
  return [count, extensions];
}

function wantsCount({ wants, request }: TableVisit): boolean {
  const shape = request.query.get("_shape");
  return (
    wants.parts.has("count") && shape !== "array" && shape !== "object" && !request.query.get("_nocount")
  );
}

async function countPlan(
  { rowhouse, request, target }: TableVisit,
  plan: PagePlan,
  { selection }: PageStatements,
): Promise<number | null> {
  const isWhole = plan.clauses.length === 0 && Object.keys(plan.readable.params).length === 0;
  const inspected =
    isWhole && plan.readable.table === target.table
      ? inspectedCount(rowhouse, target.database, target.table)
      : null;
  return inspected ?? countSelection(rowhouse, request, selection);
}

/** The published document, its keys in published order. */
function tableDocument(
  preparation: Preparation,
  { page, count, extensions, allowExecuteSql }: Findings,
  started: number,
): Readonly<Record<string, unknown>> {
  const { visit, metadata, plan, statements, description, expandable, labelled } = preparation;
  const { table } = plan.facts;
  const next = page?.next ?? null;
  return {
    database: plan.database.name,
    table: table.name,
    is_view: table.kind === "view",
    human_description_en: description,
    rows: [],
    truncated: false,
    filtered_table_rows_count: count,
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
    ...publishedAttribution(visit.rowhouse.serviceIfAny("metadata")?.current().document ?? {}),
  };
}

/** The next page: `_next` at the end, and after it the order, which the metadata may have chosen. */
function nextUrl({ rowhouse, request }: TableVisit, { sort, facts }: PagePlan, next: string): string {
  const order: Pair[] =
    sort === null || facts.pagingKeys.length === 0
      ? []
      : [[sort.descending ? "_sort_desc" : "_sort", sort.column]];
  const kept = without(request.query, "_next", ...order.map(([name]) => name));
  const path = withQuery(request.path, [...kept, ["_next", next], ...order]);
  return rowhouse.urls.absolute(request, rowhouse.urls.path(path));
}

const NOT_CARRIED_ON = new Set(["_sort", "_sort_desc", "_search", "_next"]);

function tableContext(
  preparation: Preparation,
  { page, count, extensions, allowExecuteSql }: Findings,
): TableContext {
  const { visit, metadata, plan, statements, filters, description, expandable } = preparation;
  const { facts, sort } = plan;
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
    hiddenArguments: [...visit.request.query].filter(
      (pair) => !isFilterArgument(pair) && !NOT_CARRIED_ON.has(pair[0]),
    ),
    sort: sort?.descending === false ? sort.column : null,
    sortDesc: sort?.descending === true ? sort.column : null,
    pageSize: plan.size,
    humanDescription: description,
    count,
    nextUrl: next === null ? null : nextUrl(visit, plan, next),
    keys: facts.keys,
    expandable,
    query: statements.published,
    allowExecuteSql,
    definition: facts.table.sql,
    furtherDefinitions: [
      ...facts.table.indexes.flatMap(({ sql }) => sql ?? []),
      ...facts.table.triggers.map(({ sql }) => sql),
    ],
    ...Object.assign({}, ...extensions.map(({ context }) => context)),
  };
}
