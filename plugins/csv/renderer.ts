import {
  BadRequest,
  type Page,
  type Renderer,
  type Reply,
  type ReplyHeaders,
  type Request,
  type Rowhouse,
  type Visit,
} from "rowhouse/plugin-api";
import { escapeHtml } from "rowhouse/plugin-api/html";
import { attachment, tildeDecode, type Wants } from "rowhouse/plugin-api/http";
import { limited, limitBytes } from "./limit.js";
import { pageLines, streamLines } from "./lines.js";

/** The renderer for `.csv`. */
export const csvRenderer = (rowhouse: Rowhouse): Renderer => ({
  extension: "csv",
  wants: (request) => wants(request, rowhouse.setting("allow_csv_stream")),
  render,
  canRender: (page) => page.rows !== undefined,
});

/** @throws BadRequest if streams are disabled, or for a stream with `_next` */
function wants({ query }: Request, streamAllowed: boolean): Wants {
  const stream = Boolean(query.get("_stream"));
  if (stream && !streamAllowed) throw new BadRequest("CSV streaming is disabled");
  if (stream && query.get("_next")) throw new BadRequest("_next not allowed for CSV streaming");
  // The bytes of a row with a page are a link.
  return {
    rows: "cells",
    infinity: "words",
    parts: new Set(),
    labels: false,
    stream,
    longBlobs: "sizes",
  };
}

/** @throws BadRequest if the page has no rows */
async function render(page: Page, visit: Visit): Promise<Reply> {
  const { request, rowhouse } = visit;
  if (page.rows === undefined && page.stream === undefined) {
    throw new BadRequest("CSV is available for tables, rows and queries: ?sql=");
  }
  const lines = page.stream ? await streamLines(page.stream, visit) : pageLines(page, visit);
  const bounded = await limited(lines, limitBytes(rowhouse.setting("max_csv_mb")), request);
  const debug = request.query.get("_trace") === "1";
  return {
    status: page.status ?? 200,
    headers: headers(page, visit, debug),
    body: debug ? debugPage(bounded) : bounded,
  };
}

function headers(page: Page, { request, basePath }: Visit, debug: boolean): ReplyHeaders {
  const cut: ReplyHeaders = isCut(page) ? { "rowhouse-truncated": "true" } : {};
  if (debug) return { "content-type": "text/html; charset=utf-8", ...cut };
  if (!request.query.get("_dl")) return { "content-type": "text/plain; charset=utf-8", ...cut };
  return {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": attachment(...fileNames(basePath)),
    ...cut,
  };
}

const isCut = ({ data }: Page): boolean => data["truncated"] === true || (data["next"] ?? null) !== null;

/** File names from the table, query or database: decoded, and as in the URL. */
function fileNames(basePath: string): [name: string, plain: string] {
  const [, database = "", resource = database] = basePath.split("/");
  return [`${tildeDecode(resource)}.csv`, `${resource}.csv`];
}

const BEFORE =
  '<!doctype html>\n<html lang="en">\n<head><title>CSV debug</title></head>\n' +
  '<body><textarea rows="40" cols="120" aria-label="CSV">';
const AFTER = "</textarea></body>\n</html>";

/** CSV inside of an HTML page, for tools that only show pages. */
function debugPage(csv: string | AsyncIterable<string>): string | AsyncIterable<string> {
  return typeof csv === "string" ? BEFORE + escapeHtml(csv) + AFTER : streamed(csv);
}

async function* streamed(csv: AsyncIterable<string>) {
  yield BEFORE;
  for await (const text of csv) yield escapeHtml(text);
  yield AFTER;
}
