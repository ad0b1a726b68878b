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
import { limitBytes, limitedPage, limitedStream } from "./limit.js";
import { pageLines, streamLines } from "./lines.js";

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
  const limit = limitBytes(rowhouse.setting("max_csv_mb"));
  const { body, cut } = page.stream
    ? limitedStream(await streamLines(page.stream, visit), limit, request)
    : await limitedPage(() => pageLines(page, visit), limit, request);
  const debug = request.query.get("_trace") === "1";
  return {
    status: page.status ?? 200,
    headers: {
      ...headers(visit, debug),
      ...((cut || hasMore(page)) && { "rowhouse-truncated": "true" }),
    },
    body: debug ? debugPage(body) : body,
  };
}

function headers({ request, basePath }: Visit, debug: boolean): ReplyHeaders {
  if (debug) return { "content-type": "text/html; charset=utf-8" };
  if (!request.query.get("_dl")) return { "content-type": "text/plain; charset=utf-8" };
  return {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": attachment(...fileNames(basePath)),
  };
}

const hasMore = ({ data }: Page): boolean => data["truncated"] === true || (data["next"] ?? null) !== null;

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
