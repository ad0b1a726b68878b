import { jsonText, withQuery } from "rowhouse/plugin-api";
import { paramsKey } from "rowhouse/plugin-api/engine";
import { queryPairs, without, type Pair } from "rowhouse/plugin-api/http";
import { readOptionsOf } from "rowhouse/plugin-api/sql";
import { countRows } from "./count.js";
import { readPosition } from "./page-position.js";
import type { PageRows } from "./page-rows.js";
import { countBefore, type PagePlan } from "./page-statements.js";
import type { TablePlan, TableVisit } from "./table-plan.js";
import { cached } from "./version-cache.js";

/** Knowing the number of a page's first row is worth this many milliseconds at most. */
const TIME_LIMIT_MS = 300;

/** The number of rows before a page; null if counting them takes too long. Cached until the data changes. */
export async function rowsBefore(tablePlan: TablePlan): Promise<number | null> {
  const { visit, plan, statements } = tablePlan;
  const { rowhouse, request } = visit;
  const { after, offset } = plan.position;
  if (after === null) return offset;
  const { sql, params } = countBefore(plan);
  const read = (): Promise<number | null> =>
    countRows(plan.database, sql, params, {
      timeLimitMs: Math.min(TIME_LIMIT_MS, rowhouse.setting("sql_time_limit_ms")),
      signal: request.signal,
      ...readOptionsOf(statements.selection),
    });
  const before = await cached(request, statements.selection, cacheKey(tablePlan, after.text), read);
  return before === null ? null : before + offset;
}

/** Caches the number of rows before the next page, which follows from that before this one. */
export async function keepRowsBeforeNext(
  tablePlan: TablePlan,
  { next }: PageRows,
  before: number,
): Promise<void> {
  const { visit, plan, statements } = tablePlan;
  if (next === null) return;
  const { after, offset } = readPosition(next, plan.facts, plan.order);
  if (after === null || offset > 0) return;
  const known = (): Promise<number> => Promise.resolve(before + plan.size);
  await cached(visit.request, statements.selection, cacheKey(tablePlan, after.text), known);
}

/** @param row the text of the last row before the page */
function cacheKey({ plan, statements: { selection } }: TablePlan, row: string): string {
  const rows = `${selection.fromWhere} ${paramsKey(selection.params)}`;
  return `before ${jsonText(plan.order)} ${jsonText(row)} ${rows}`;
}

/** Where the page is among all rows, and the pages before it. */
export interface PagePlace {
  /** The number of the first row of the page, from 1; null if it is not known. */
  readonly firstRow: number | null;
  /** Null on the first page, and if it is not known where the previous one begins. */
  readonly previousUrl: string | null;
  /** Null on the first page. */
  readonly firstUrl: string | null;
}

/** @param before the number of rows before the page */
export function pagePlace(visit: TableVisit, plan: PagePlan, before: number | null): PagePlace {
  if (before === 0) return { firstRow: 1, previousUrl: null, firstUrl: null };
  const firstUrl = pageAt(visit, null);
  if (before === null) return { firstRow: null, previousUrl: null, firstUrl };
  const offset = before - plan.size;
  const token = plan.facts.pagingKeys.length === 0 ? String(offset) : `$offset${offset}`;
  return { firstRow: before + 1, previousUrl: offset > 0 ? pageAt(visit, token) : firstUrl, firstUrl };
}

function pageAt({ rowhouse, request }: TableVisit, token: string | null): string {
  const next: Pair[] = token === null ? [] : [["_next", token]];
  return rowhouse.urls.path(withQuery(request.path, [...without(queryPairs(request), "_next"), ...next]));
}
