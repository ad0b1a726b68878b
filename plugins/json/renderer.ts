import { BadRequest, bodyOf, jsonString, jsonText, linkHeader } from "rowhouse/plugin-api";
import type {
  Page,
  Part,
  Reply,
  ReplyHeaders,
  Request,
  RowForm,
  Rowhouse,
  Visit,
  Wants,
} from "rowhouse/plugin-api";
import { NO_ARGUMENTS, jsonArguments, lenientArguments } from "./arguments.js";
import type { JsonArguments } from "./arguments.js";
import { streamedLines, firstValues, keyedRows, objectRows, plainRows, enclosed, separated } from "./rows.js";
import { requestedExtras, supportsExtras, partsOf, extrasDocument } from "./extras-document.js";

const DOCUMENT_PARTS: ReadonlySet<Part> = new Set(["count", "facets", "suggestions"]);
const NO_PARTS: ReadonlySet<Part> = new Set();

/**
 * What a JSON document uses of a page: the shapes that show nothing but rows spare everything else.
 *
 * @throws BadRequest for a stream that is switched off, or that starts in the middle
 */
export function wants(rowhouse: Rowhouse, request: Request): Wants {
  const asked = lenientArguments(request);
  const showsDocument = asked.shape === "arrays" || asked.shape === "objects";
  const extras = requestedExtras(request);
  const documentParts = extras === null ? DOCUMENT_PARTS : partsOf(extras);
  return {
    rows: rowForm(asked),
    infinity: asked.infinity,
    parts: showsDocument ? documentParts : NO_PARTS,
    labels: false,
    stream: wantsStream(rowhouse, request, asked),
  };
}

/** Only lines can be told apart while they arrive. */
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
 * The page's document in the shape that was asked for.
 *
 * @throws BadRequest for an argument that is wrong, or a shape that this page cannot take
 */
export async function render(page: Page, visit: Visit): Promise<Reply> {
  const { request } = visit;
  const status = page.status ?? 200;
  const headers: ReplyHeaders = { ...page.headers, ...nextLink(page) };
  // What went wrong must be told whatever else was asked.
  const fixed = page.plain === true || (page.data["error"] ?? null) !== null;
  const asked = fixed ? NO_ARGUMENTS : jsonArguments(request);
  if (asked.shape === "array" && asked.newlines) {
    const lines = page.stream
      ? await streamedLines(page.stream, asked, request)
      : await bodyOf(objectLines(page, asked), request);
    return { status, headers: { ...headers, "content-type": "text/plain" }, body: lines };
  }
  const extras = fixed ? null : requestedExtras(request);
  const showsRows = asked.shape === "arrays" || asked.shape === "objects";
  const pieces =
    extras !== null && showsRows && supportsExtras(page)
      ? await extrasDocument(page, visit, extras, rowTexts(page, asked))
      : body(page, asked);
  const type = "application/json; charset=utf-8";
  return { status, headers: { "content-type": type, ...headers }, body: await bodyOf(pieces, request) };
}

const objectLines = (page: Page, asked: JsonArguments): Iterable<string> =>
  separated(objectRows(rowsOf(page), asked), "\n");

function nextLink(page: Page): ReplyHeaders {
  const next = page.data["next_url"];
  return typeof next === "string" ? linkHeader(`<${next}>; rel="next"`) : {};
}

function body(page: Page, asked: JsonArguments): Iterable<string> {
  switch (asked.shape) {
    case "arrays":
    case "objects":
      return documentPieces(page, rowTexts(page, asked));
    case "array":
      return enclosed("[", objectRows(rowsOf(page), asked), "]");
    case "arrayfirst":
      return enclosed("[", firstValues(rowsOf(page), asked), "]");
    case "object":
      return objectBody(page, asked);
  }
}

function rowTexts({ rows }: Page, asked: JsonArguments): Iterable<string> {
  if (rows === undefined) return [];
  return asked.shape === "arrays" ? plainRows(rows, asked) : objectRows(rows, asked);
}

/** The document with the rows' texts at the place of its key `rows`: they are never parsed again. */
function* documentPieces({ data, rows }: Page, texts: Iterable<string>): Generator<string> {
  let start = "{";
  for (const [key, value] of Object.entries(data)) {
    if (value === undefined) continue;
    if (key === "rows" && rows !== undefined) yield* enclosed(`${start}${jsonString(key)}: [`, texts, "]");
    else yield* valuePieces(`${start}${jsonString(key)}: `, value);
    start = ", ";
  }
  yield start === "{" ? "{}" : "}";
}

/** Large values of a document are objects by name, such as the facets: each member is a piece. */
function* valuePieces(start: string, value: unknown): Generator<string> {
  if (isPlainObject(value)) yield* enclosed(`${start}{`, memberTexts(value), "}");
  else yield start + jsonText(value);
}

function* memberTexts(value: Readonly<Record<string, unknown>>): Generator<string> {
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) yield `${jsonString(key)}: ${jsonText(member)}`;
  }
}

const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

function objectBody(page: Page, asked: JsonArguments): Iterable<string> {
  if (page.name !== "table" && page.name !== "row") return notAvailable("is only available on tables");
  const keys = page.data["primary_keys"];
  const hasKeys = Array.isArray(keys) && keys.length > 0;
  if (!hasKeys) return notAvailable("not available for tables with no primary keys");
  return enclosed("{", keyedRows(rowsOf(page), asked), "}");
}

// Published with status 200.
const notAvailable = (reason: string): Iterable<string> => [
  jsonText({ ok: false, error: `_shape=object ${reason}` }),
];

function rowsOf(page: Page) {
  // Published in these words, also for the other shapes that are lists.
  if (page.rows === undefined) throw new BadRequest("_shape=array is only available on tables and queries");
  return page.rows;
}
