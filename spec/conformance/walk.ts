import { BASE, type RecordedRequest, type Walk } from "./cases.js";
import { compareJson, type Difference } from "./compare-json.js";
import type { Answer } from "./exchange.js";
import { isArray, isObject, parseJson, showJson, type Json, type JsonObject } from "./lossless-json.js";

type Send = (request: RecordedRequest) => Promise<Answer>;

/** A page that differs from the recorded one: the request and the difference. */
export interface WalkDifference {
  readonly request: RecordedRequest;
  readonly differences: readonly Difference[];
  readonly answer: Answer;
}

const PAGE_LIMIT = 1000;
const EXACTLY = { soft: {}, subset: false, now: 0 };

/** Follows `next_url` to the end. Null when every page is as recorded and the rows are complete. */
export async function replayWalk(walk: Walk, send: Send): Promise<WalkDifference | null> {
  const seen: string[] = [];
  let path: string | null = walk.path;
  for (let number = 0; number < PAGE_LIMIT; number++) {
    const request: RecordedRequest = { method: "GET", path };
    const answer = await send(request);
    const page = readPage(answer);
    const wrong = (differences: readonly Difference[]): WalkDifference => ({ request, differences, answer });
    if (page === null)
      return wrong([{ where: `page ${number + 1}`, expected: "a page of JSON", got: "none" }]);
    const ids = pageIds(page);
    const differences = comparePage(walk, number, page, ids);
    if (differences.length > 0) return wrong(differences);
    seen.push(...ids.map(showJson));
    path = nextPath(page);
    if (path === null) {
      const missing = compareCount(walk, number + 1, seen);
      return missing.length > 0 ? wrong(missing) : null;
    }
  }
  throw new Error(`${walk.path} has no last page within ${PAGE_LIMIT} pages`);
}

function readPage(answer: Answer): JsonObject | null {
  if (answer.status !== 200) return null;
  const page = parseJson(answer.body.toString("utf8"));
  return isObject(page) ? page : null;
}

function comparePage(
  walk: Walk,
  number: number,
  page: JsonObject,
  ids: readonly Json[],
): readonly Difference[] {
  if (walk.pages === undefined) return [];
  const expected = walk.pages[number];
  if (expected === undefined) return [{ where: "pages", expected: String(walk.pages.length), got: "more" }];
  const facts = Object.keys(expected).map((key) => [key, key === "ids" ? ids : (page[key] ?? null)]);
  return compareJson(expected, Object.fromEntries(facts) as JsonObject, EXACTLY);
}

function compareCount(walk: Walk, pages: number, seen: readonly string[]): readonly Difference[] {
  const found: Difference[] = [];
  if (walk.pages !== undefined && walk.pages.length !== pages) {
    found.push({ where: "pages", expected: String(walk.pages.length), got: String(pages) });
  }
  if (seen.length !== walk.rows) {
    found.push({ where: "rows", expected: String(walk.rows), got: String(seen.length) });
  }
  const different = new Set(seen).size;
  if (walk.every_row_once === true && different !== walk.rows) {
    found.push({ where: "different rows", expected: String(walk.rows), got: String(different) });
  }
  return found;
}

const nextPath = ({ next_url: url }: JsonObject): string | null =>
  typeof url === "string" ? (url.startsWith(BASE) ? url.slice(BASE.length) : url) : null;

/** What identifies each row of a page: one value, or an array of them for a compound key. */
function pageIds(page: JsonObject): readonly Json[] {
  const rows = isArray(page["rows"]) ? page["rows"] : [];
  const columns = isArray(page["columns"]) ? page["columns"] : [];
  const keys = keyColumns(page, columns);
  return rows.map((row) => {
    const values = keys.map((key) => plainValue(cell(row, key, columns)));
    return values.length === 1 ? (values[0] ?? null) : values;
  });
}

function keyColumns(page: JsonObject, columns: readonly Json[]): readonly Json[] {
  const primaryKeys = page["primary_keys"];
  if (isArray(primaryKeys) && primaryKeys.length > 0) return primaryKeys;
  return columns.includes("rowid") ? ["rowid"] : columns.slice(0, 1);
}

function cell(row: Json, column: Json, columns: readonly Json[]): Json {
  if (isArray(row)) return row[columns.indexOf(column)] ?? null;
  return isObject(row) ? (row[String(column)] ?? null) : null;
}

const plainValue = (value: Json): Json =>
  isObject(value) && value["value"] !== undefined && value["label"] !== undefined ? value["value"] : value;
