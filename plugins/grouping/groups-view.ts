import {
  BadRequest,
  withQuery,
  type Page,
  type Reply,
  type RowSet,
  type SqlValue,
} from "rowhouse/plugin-api";
import { SqlFailed, unlessInterrupted } from "rowhouse/plugin-api/errors";
import { queryPairs, timeLimitMs, without, type Pair } from "rowhouse/plugin-api/http";
import { paramsKey, type ReadOptions } from "rowhouse/plugin-api/engine";
import { readOptionsOf } from "rowhouse/plugin-api/sql";
import { readGrouping } from "./arguments.js";
import { groupsPage } from "./groups-page.js";
import { labelledColumns, withLabels } from "./labels.js";
import type { GroupPlan, GroupResults, TableVisit } from "./plan.js";
import { countStatement, groupStatement } from "./statement.js";

/**
 * The groups of the rows that a request selects, with a value of each aggregate.
 *
 * @throws BadRequest for invalid arguments
 */
export async function groupsView(visit: TableVisit): Promise<Page | Reply> {
  const started = performance.now();
  const { selection, description } = await visit.rowhouse.service("tables").select(visit);
  const grouping = readGrouping(visit.request, selection.table, selection.database.dialect);
  const columns = [...grouping.groups, ...grouping.aggregates].map(({ name }) => name);
  const labelled = labelledColumns(visit, selection.table, grouping);
  const plan: GroupPlan = { visit, grouping, selection, description, columns, labelled };
  if (visit.wants.stream) {
    const stream = { columns, keys: [], labelled, batches: batches(plan) };
    return { name: "groups", data: documentOf(plan, null, started), stream };
  }
  const results = await readGroups(plan);
  if (visit.format === "html") return groupsPage(plan, results);
  return { name: "groups", data: documentOf(plan, results, started), rows: results.rows };
}

/** The document, with the keys of that of a table. */
function documentOf(
  { visit, grouping, selection, description, columns, labelled }: GroupPlan,
  results: GroupResults | null,
  started: number,
): Page["data"] {
  const nextUrl = results?.nextUrl ?? null;
  return {
    database: selection.database.name,
    table: selection.table.name,
    human_description_en: description,
    groups: grouping.groups.map(({ name }) => name),
    aggregates: grouping.aggregates.map(({ name }) => name),
    rows: [],
    truncated: false,
    filtered_table_rows_count: results?.count ?? null,
    expanded_columns: labelled,
    columns,
    next: nextUrl === null ? null : new URL(nextUrl).searchParams.get("_next"),
    next_url: nextUrl,
    private: visit.private,
    query_ms: performance.now() - started,
  };
}

async function readGroups(plan: GroupPlan): Promise<GroupResults> {
  const { selection, columns } = plan;
  const { size, offset } = pageOf(plan.visit);
  const sql = `${groupStatement(selection, plan.grouping)}${selection.database.dialect.limit(size + 1, offset)}`;
  const options = { ...readOptions(plan), columns, maxRows: size + 1 };
  const [{ rows }, count] = await Promise.all([
    selection.database.read(sql, selection.params, options).catch(overflowNamed(plan)),
    countGroups(plan),
  ]);
  const hasMore = rows.length > size && size > 0;
  return {
    rows: await rowSet(plan, rows.slice(0, size)),
    count,
    nextUrl: hasMore ? pageAt(plan.visit, offset + size) : null,
    previousUrl: offset > 0 ? pageAt(plan.visit, Math.max(0, offset - size)) : null,
  };
}

async function rowSet(plan: GroupPlan, rows: readonly (readonly SqlValue[])[]): Promise<RowSet> {
  return { columns: plan.columns, json: null, cells: await withLabels(plan, rows), keys: [] };
}

async function* batches(plan: GroupPlan): AsyncIterable<RowSet> {
  const { selection, grouping, columns } = plan;
  const options = { ...readOptions(plan), columns };
  const sql = groupStatement(selection, grouping);
  try {
    for await (const { rows } of selection.database.stream(sql, selection.params, options)) {
      yield rowSet(plan, rows);
    }
  } catch (error) {
    overflowNamed(plan)(error);
  }
}

/** SQLite adds integers in 64 bits, and its error does not say which sum failed. */
const overflowNamed =
  ({ grouping }: GroupPlan) =>
  (error: unknown): never => {
    const sums = grouping.aggregates.flatMap((one) => (one.function === "sum" ? one.name : []));
    if (!(error instanceof SqlFailed) || error.message !== "integer overflow" || sums.length === 0)
      throw error;
    throw new BadRequest(
      `_agg: the integers in ${sums.join(" or ")} add up to more than 64 bits. Use avg, or filter the rows`,
    );
  };

/** Cached until the data changes: each page of the same groups has the same number. */
async function countGroups(plan: GroupPlan): Promise<number | null> {
  const { visit, selection, grouping } = plan;
  const { rowhouse, request, wants } = visit;
  if (!(wants.parts.has("count") || visit.format === "html") || request.query.get("_nocount")) return null;
  if (grouping.groups.length === 0) return 1;
  const sql = countStatement(selection, grouping);
  const key = `groups ${sql} ${paramsKey(selection.params)}`;
  return rowhouse.service("tables").cached(request, selection, key, async () => {
    const options = { ...readOptions(plan), columns: ["count"] };
    const reading = selection.database.read(sql, selection.params, options);
    const found = await unlessInterrupted(reading, request.signal);
    return found && Number(found.rows[0]?.[0] ?? 0);
  });
}

function readOptions({ visit, selection }: GroupPlan): ReadOptions {
  const { rowhouse, request } = visit;
  return {
    timeLimitMs: timeLimitMs(request.query, rowhouse.setting("sql_time_limit_ms")),
    signal: request.signal,
    ...readOptionsOf(selection),
  };
}

/**
 * Groups have no key that stays the same while rows change, so pages are counted off. All rows are grouped for each page
 * anyway, so a later page takes no longer.
 *
 * @throws BadRequest for an invalid `_size` or `_next`
 */
function pageOf({ rowhouse, request: { query } }: TableVisit): { size: number; offset: number } {
  const most = rowhouse.setting("max_returned_rows");
  const requested = query.get("_size") || String(Math.min(rowhouse.setting("default_page_size"), most));
  const size = requested === "max" ? most : Number(requested);
  if (!/^(?:\d+|max)$/.test(requested)) throw new BadRequest("_size must be a positive integer");
  if (size > most) throw new BadRequest(`_size must be <= ${most}`);
  const next = query.get("_next") || "0";
  if (!/^\d{1,15}$/.test(next)) throw new BadRequest("Invalid _next token");
  return { size, offset: Number(next) };
}

function pageAt({ rowhouse, request }: TableVisit, offset: number): string {
  const next: readonly Pair[] = offset === 0 ? [] : [["_next", String(offset)]];
  const pairs = [...without(queryPairs(request), "_next"), ...next];
  return rowhouse.urls.absolute(request, rowhouse.urls.path(withQuery(request.path, pairs)));
}
