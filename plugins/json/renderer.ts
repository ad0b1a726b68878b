import {
  BadRequest,
  jsonText,
  reply,
  withQuery,
  type Page,
  type Renderer,
  type Reply,
  type ReplyHeaders,
  type Request,
  type Rowhouse,
  type Visit,
} from "rowhouse/plugin-api";
import { isPlainObject } from "rowhouse/plugin-api/engine";
import {
  bodyOf,
  linkHeader,
  queryPairs,
  without,
  type Part,
  type RowForm,
  type Wants,
} from "rowhouse/plugin-api/http";
import { jsonString } from "rowhouse/plugin-api/json";
import {
  jsonArguments,
  lenientArguments,
  NO_ARGUMENTS,
  requestedExtras,
  type JsonArguments,
} from "./arguments.js";
import { withBigintText } from "./bigint-text.js";
import { extrasDocument, partsOf, supportsExtras } from "./extras-document.js";
import type { JsonOfRow } from "./row-writer.js";
import { enclosed, firstValues, keyedRows, objectRows, plainRows, separated, streamedLines } from "./rows.js";

/** `json`, and `jsono`, which redirects to `.json?_shape=objects` on pages with rows. */
export function jsonRenderers(rowhouse: Rowhouse): readonly Renderer[] {
  const common = { wants: (request: Request) => wants(rowhouse, request), render };
  return [
    { extension: "json", ...common, canRender: () => true },
    { extension: "jsono", ...common, redirect: redirectToJson },
  ];
}

function redirectToJson(visit: Visit): Reply | null {
  if (visit.target.kind === "instance") return null;
  const pairs = [...without(queryPairs(visit.request), "_shape"), ["_shape", "objects"] as const];
  const location = visit.rowhouse.urls.path(withQuery(`${visit.basePath}.json`, pairs));
  return reply.redirect(location, 302, linkHeader(`<${location}>; rel=preload`));
}

const DOCUMENT_PARTS: ReadonlySet<Part> = new Set(["count", "facets", "suggestions"]);
const NO_PARTS: ReadonlySet<Part> = new Set();

/**
 * The parts of a page that the JSON document uses. Shapes that contain only rows need nothing else.
 *
 * @throws BadRequest if streams are disabled, or for a stream with `_next`
 */
function wants(rowhouse: Rowhouse, request: Request): Wants {
  const args = lenientArguments(request);
  const showsDocument = args.shape === "arrays" || args.shape === "objects";
  const extras = requestedExtras(request);
  const documentParts = extras === null ? DOCUMENT_PARTS : partsOf(extras);
  return {
    rows: rowForm(args),
    infinity: args.infinity,
    parts: showsDocument ? documentParts : NO_PARTS,
    labels: false,
    stream: wantsStream(rowhouse, request, args),
    failures: "sql",
  };
}

/** Clients can parse lines while they arrive, other shapes only when complete. */
function wantsStream(rowhouse: Rowhouse, { query }: Request, { shape, newlines }: JsonArguments): boolean {
  if (shape !== "array" || !newlines || !query.get("_stream")) return false;
  if (rowhouse.settings.get("allow_csv_stream")?.value === false) {
    throw new BadRequest("Streaming is disabled");
  }
  if (query.get("_next")) throw new BadRequest("_next not allowed for streaming");
  return true;
}

function rowForm({ shape, parsed, bigintText }: JsonArguments): RowForm {
  if (shape === "object" || shape === "arrayfirst" || parsed.size > 0 || bigintText) return "cells";
  return shape === "arrays" ? "arrays" : "objects";
}

/**
 * The page's document in the requested shape.
 *
 * @throws BadRequest for an invalid argument, or a shape that this page does not support
 */
async function render(page: Page, visit: Visit): Promise<Reply> {
  const { request } = visit;
  const status = page.status ?? 200;
  const headers: ReplyHeaders = { ...page.headers, ...nextLink(page) };
  // Errors are reported even if other arguments are invalid.
  const fixed = page.plain === true || (page.data["error"] ?? null) !== null;
  const args = fixed ? NO_ARGUMENTS : jsonArguments(request);
  if (args.shape === "array" && args.newlines) {
    const lines = page.stream
      ? await streamedLines(page.stream, args, request)
      : await bodyOf(objectLines(page, args), request);
    return { status, headers: { ...headers, "content-type": "text/plain" }, body: lines };
  }
  const extras = fixed ? null : requestedExtras(request);
  const showsRows = args.shape === "arrays" || args.shape === "objects";
  const pieces =
    extras !== null && showsRows && supportsExtras(page)
      ? await extrasDocument(
          page,
          visit,
          { names: extras, bigintText: args.bigintText },
          rowTexts(page, args),
        )
      : body(page, args);
  const type = "application/json; charset=utf-8";
  return { status, headers: { "content-type": type, ...headers }, body: await bodyOf(pieces, request) };
}

const objectLines = (page: Page, args: JsonArguments): Iterable<string> =>
  separated(objectRows(rowsOf(page), args), "\n");

function nextLink(page: Page): ReplyHeaders {
  const next = page.data["next_url"];
  return typeof next === "string" ? linkHeader(`<${next}>; rel="next"`) : {};
}

function body(page: Page, args: JsonArguments): Iterable<string> {
  switch (args.shape) {
    case "arrays":
    case "objects":
      return documentPieces(page, args);
    case "array":
      return enclosed("[", objectRows(rowsOf(page), args), "]");
    case "arrayfirst":
      return enclosed("[", firstValues(rowsOf(page), args), "]");
    case "object":
      return objectBody(page, args);
  }
}

function rowTexts({ rows }: Page, args: JsonArguments): Iterable<JsonOfRow> {
  if (rows === undefined) return [];
  return args.shape === "arrays" ? plainRows(rows, args) : objectRows(rows, args);
}

/** The document, with the text of the rows inserted at its key `rows`. Rows are not parsed again. */
function* documentPieces(page: Page, args: JsonArguments): Generator<string> {
  let start = "{";
  let member = "";
  try {
    for (const [key, value] of Object.entries(page.data)) {
      if (value === undefined) continue;
      member = key;
      const name = `${start}${jsonString(key)}: `;
      if (key === "rows" && page.rows !== undefined) yield* enclosed(`${name}[`, rowTexts(page, args), "]");
      else yield* valuePieces(name, args.bigintText ? withBigintText(value) : value);
      start = ", ";
    }
  } catch (error) {
    throw inMember(member, page, error);
  }
  yield start === "{" ? "{}" : "}";
}

/** Names the member of a page that contains a function, or itself: the errors of such values do not say where they are. */
function inMember(member: string, { name }: Page, error: unknown): unknown {
  if (!(error instanceof TypeError || error instanceof RangeError)) return error;
  const message = `The member ${member} of the page ${name} is not valid: ${error.message}`;
  return new TypeError(message, { cause: error });
}

/**
 * Yields each member of an object or array separately, because some are large (facets, tables of a database). Short
 * lists of texts, such as the columns, are one piece.
 */
function* valuePieces(start: string, value: unknown): Generator<string> {
  if (isShortList(value)) yield start + jsonText(value);
  else if (value instanceof Map) yield* enclosed(`${start}{`, memberTexts(value), "}");
  else if (isPlainObject(value)) yield* enclosed(`${start}{`, memberTexts(Object.entries(value)), "}");
  else if (Array.isArray(value)) yield* enclosed(`${start}[`, itemTexts(value), "]");
  else yield start + jsonText(value);
}

function* memberTexts(members: Iterable<[key: unknown, member: unknown]>): Generator<string> {
  for (const [key, member] of members) {
    if (member !== undefined) yield `${jsonString(String(key))}: ${jsonText(member)}`;
  }
}

function* itemTexts(items: readonly unknown[]): Generator<string> {
  for (const item of items) yield jsonText(item);
}

const SHORT_LIST = 50;

const isShortList = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= SHORT_LIST && value.every((item) => typeof item === "string");

function objectBody(page: Page, args: JsonArguments): Iterable<string> {
  if (page.name !== "table" && page.name !== "row") return notAvailable("is only available on tables");
  const keys = page.data["primary_keys"];
  const hasKeys = Array.isArray(keys) && keys.length > 0;
  if (!hasKeys) return notAvailable("not available for tables with no primary keys");
  return enclosed("{", keyedRows(rowsOf(page), args), "}");
}

// The contract publishes this error with status 200.
const notAvailable = (reason: string): Iterable<string> => [
  jsonText({ ok: false, error: `_shape=object ${reason}` }),
];

function rowsOf(page: Page) {
  // The contract has this message also for the other shapes that are lists.
  if (page.rows === undefined) throw new BadRequest("_shape=array is only available on tables and queries");
  return page.rows;
}
