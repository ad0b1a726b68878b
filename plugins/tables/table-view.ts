import { LazyPage, queryPairs, timeLimitMs, TimeSlices, without } from "rowhouse/plugin-api/http";
import { currentMetadata, visibleMetadata } from "rowhouse/plugin-api/metadata";
import type { Page, Reply } from "rowhouse/plugin-api";
import type {
  FilterClause,
  ReadableTable,
  RequestedRows,
  SelectOptions,
  TableExtension,
} from "rowhouse/plugin-api/contracts";
import { columnFilters, filterClauses, requireFewFilters } from "./column-filters.js";
import { pageStatements, selectionOf, type PagePlan, type PageStatements } from "./page-statements.js";
import { countSelection, inspectedCount, type RowCount } from "./count.js";
import { columnsToLabel, expandableColumns } from "./labels.js";
import { warnOfFilters } from "./mistaken-filters.js";
import {
  chooseColumns,
  chooseOrder,
  formRedirect,
  limitToCells,
  pageSize,
  describeOrder,
  type Order,
} from "./page-arguments.js";
import { readPosition } from "./page-position.js";
import { readPage, streamPage, type PageQuery, type PageRows } from "./page-rows.js";
import { tableContext, tableDocument } from "./table-document.js";
import type { TablePlan, TableResults, TableVisit } from "./table-plan.js";
import { keepRowsBeforeNext, rowsBefore } from "./rows-before.js";
import { tableFacts } from "./table-facts.js";
import { unitsOfTable } from "./units.js";
import { unreadColumns } from "./unread-blobs.js";

/**
 * One page of rows of a table or view.
 *
 * @throws BadRequest for invalid arguments, Forbidden for arguments that the actor may not use
 */
export async function tableView(visit: TableVisit): Promise<Page | Reply> {
  const started = performance.now();
  const redirect = formRedirect(visit.rowhouse, visit.request);
  if (redirect !== null) return redirect;
  const tablePlan = await planTable(visit);
  const reading: PageQuery = {
    timeLimitMs: timeLimitMs(visit.request.query, visit.rowhouse.setting("sql_time_limit_ms")),
    ...tablePlan,
  };
  if (visit.wants.stream) {
    const noResults = { page: null, count: null, extensions: [], allowExecuteSql: false, before: null };
    return { name: "table", data: tableDocument(tablePlan, noResults, started), stream: streamPage(reading) };
  }
  const results = await readResults(tablePlan, reading);
  const data = tableDocument(tablePlan, results, started);
  const page = {
    name: "table",
    data,
    ...(results.page !== null && { rows: results.page.rows }),
    // The next request gets the count.
    ...(results.count?.kind === "pending" && { headers: { "cache-control": "no-store" } }),
  };
  return new LazyPage(page, () => ({ ...tableContext(tablePlan, results) }));
}

/** The table as the actor may describe it, and the conditions of the request. */
async function planFilters(visit: TableVisit, ownArguments: readonly string[] = []) {
  const { rowhouse, request, actor, target } = visit;
  const { database } = target;
  const readable = await rowhouse.service("rowAccess").describe(actor, database, target.source);
  const facts = tableFacts(readable.table);
  const current = currentMetadata(rowhouse);
  const configured = current.table(database.name, target.table.name);
  const schema = database.lastSchema ?? (await database.schema());
  const metadata = visibleMetadata(configured, schema, readable.table);
  const filters = columnFilters(without(queryPairs(request), ...ownArguments));
  const ownClauses =
    filters.length === 0
      ? []
      : filterClauses(filters, database, readable.table, unitsOfTable(metadata, current.document));
  const otherClauses = await pluginClauses(visit, readable);
  requireFewFilters(ownClauses.length + otherClauses.length);
  return { readable, facts, metadata, filters, ownClauses, otherClauses };
}

/** The rows that a request selects: the service `tables.select`. */
export async function selectRows(
  visit: TableVisit,
  { further = [], ownArguments = [] }: SelectOptions = {},
): Promise<RequestedRows> {
  const { readable, facts, ownClauses, otherClauses } = await planFilters(visit, ownArguments);
  const clauses = [...ownClauses, ...otherClauses, ...further];
  return {
    selection: selectionOf({ database: visit.target.database, facts, readable, clauses }),
    description: humanDescription([...otherClauses, ...ownClauses], []),
  };
}

async function planTable(visit: TableVisit): Promise<TablePlan> {
  const { rowhouse, request, actor, target } = visit;
  const { database } = target;
  // An address has room for thousands of values, which take milliseconds in each step.
  const slices = new TimeSlices(request);
  const { readable, facts, metadata, filters, ownClauses, otherClauses } = await planFilters(visit);
  await slices.nextIfOver();
  const order = chooseOrder(facts, request.query, metadata);
  const needsPath = facts.rowidShown && facts.pagingKeys.length === 0 && visit.wants.rows === "cells";
  const columns = chooseColumns(facts, request.query);
  const requestedSize = pageSize(request.query, metadata, {
    defaultSize: rowhouse.setting("default_page_size"),
    maxSize: rowhouse.setting("max_returned_rows"),
  });
  const plan: PagePlan = {
    database,
    facts,
    readable,
    columns,
    clauses: [...ownClauses, ...otherClauses],
    order,
    position: readPosition(request.query.get("_next"), facts, order),
    requestedSize,
    size: limitToCells(visit.wants.maxCells, requestedSize, columns.length),
    pathColumn: needsPath ? facts.table.rowidName : null,
    unread: visit.wants.longBlobs === undefined ? [] : await unreadColumns(visit, { facts, columns, order }),
  };
  const hasLinks = readable.table.foreignKeys.length > 0;
  const expandable = hasLinks ? await expandableColumns(rowhouse, actor, database, readable.table) : [];
  const statements = pageStatements(plan);
  await slices.nextIfOver();
  return {
    visit,
    metadata,
    plan,
    statements,
    filters,
    description: humanDescription([...otherClauses, ...ownClauses], order),
    expandable,
    labelled: hasLinks
      ? columnsToLabel(request.query, visit.wants.labels, expandable).filter(({ column }) =>
          plan.columns.includes(column),
        )
      : [],
  };
}

async function pluginClauses(
  { rowhouse, request, actor, target }: TableVisit,
  source: ReadableTable,
): Promise<readonly FilterClause[]> {
  const hook = rowhouse.hooks.filters_from_request;
  if (!hook.isUsed()) return [];
  return hook.promise([], rowhouse, {
    request,
    actor,
    database: target.database,
    table: source.table,
    source,
  });
}

/** Reads the rows, the count with what depends on it, and the SQL permission in parallel. */
async function readResults(tablePlan: TablePlan, reading: PageQuery): Promise<TableResults> {
  const { visit, plan } = tablePlan;
  const slices = new TimeSlices(visit.request);
  const reads = readPage(reading);
  const work = [
    reads,
    slices.nextIfOver().then(() => countAndExtend(tablePlan, reads)),
    visit.wants.parts.has("position") ? rowsBefore(tablePlan) : null,
    visit.rowhouse.permissions.allowed(visit.actor, "execute-sql", plan.database.name),
  ] as const;
  const [page, [count, extensions], before, allowExecuteSql] = await Promise.all(work).catch(
    async (error: unknown) => {
      const { database, readable, clauses } = plan;
      await warnOfFilters(visit.rowhouse, error, { database, table: readable.table, clauses });
      // If several fail, the reply has the error of the first in this list, whichever failed first.
      for (const one of work) await one;
      throw error;
    },
  );
  if (before !== null) await keepRowsBeforeNext(tablePlan, page, before);
  // SQL that reads a restricted table is rejected.
  return { page, count, extensions, before, allowExecuteSql: allowExecuteSql && !plan.readable.restricted };
}

async function countAndExtend(
  { visit, plan, statements }: TablePlan,
  page: Promise<PageRows>,
): Promise<readonly [RowCount | null, readonly TableExtension[]]> {
  const { rowhouse } = visit;
  const count = wantsCount(visit)
    ? ((await countShown(plan, statements, page)) ?? (await countPlan(visit, plan, statements)))
    : null;
  const exact = count?.kind === "exact" ? count.rows : null;
  const hook = rowhouse.hooks.extend_table;
  const extensions = hook.isUsed()
    ? await hook.promise([], rowhouse, { visit, selection: statements.selection, count: exact })
    : [];
  return [count, extensions];
}

function wantsCount({ wants, request }: TableVisit): boolean {
  const shape = request.query.get("_shape");
  return (
    wants.parts.has("count") && shape !== "array" && shape !== "object" && !request.query.get("_nocount")
  );
}

/**
 * The number of rows of a page that shows all of them; null for others. If no index serves the filter, finding few rows
 * reads the whole table, as counting them would. Finding a page of many rows ends early, unless they are sorted.
 */
async function countShown(
  { clauses, order, position, size }: PagePlan,
  { selection }: PageStatements,
  page: Promise<PageRows>,
): Promise<RowCount | null> {
  const isFirst = position.after === null && position.offset === 0;
  // SQL of a client may contain a limit of its own.
  if (clauses.length === 0 || order.length > 0 || !isFirst || size === 0 || selection.untrusted) return null;
  const { rows, next } = await page;
  return next === null ? { kind: "exact", rows: (rows.json ?? rows.cells ?? []).length } : null;
}

async function countPlan(
  { rowhouse, request, target }: TableVisit,
  plan: PagePlan,
  { selection, counted }: PageStatements,
): Promise<RowCount | null> {
  const isWhole = plan.clauses.length === 0 && !plan.readable.restricted;
  const inspected = isWhole ? inspectedCount(rowhouse, target.database, target.table) : null;
  if (inspected !== null) return { kind: "exact", rows: inspected };
  // Estimates follow from all rows, also from those that the actor may not read.
  const mayEstimate = !plan.readable.restricted;
  const wanted = { ...selection, fromWhere: counted.sql, params: counted.params, mayEstimate };
  return countSelection(rowhouse, request, wanted);
}

/** A description for people: `where state = "CA" and price > 5 sorted by name`; empty without filters and sort. */
function humanDescription(clauses: readonly FilterClause[], order: Order): string {
  const conditions = clauses.flatMap(({ description }) => (description === null ? [] : [description]));
  const where = conditions.length === 0 ? "" : `where ${enumerated(conditions)}`;
  return [where, describeOrder(order)].filter((part) => part !== "").join(" ");
}

function enumerated(items: readonly string[]): string {
  const last = items.at(-1) ?? "";
  return items.length < 2 ? last : `${items.slice(0, -1).join(", ")} and ${last}`;
}
