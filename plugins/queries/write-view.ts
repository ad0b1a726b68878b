import {
  BadRequest,
  jsonText,
  messageOf,
  reply,
  type Reply,
  type Request,
  type Rowhouse,
  type SqlValue,
  type Visit,
  type SqlInput,
} from "rowhouse/plugin-api";
import {
  DatabaseUnavailable,
  InvalidSql,
  MethodNotAllowed,
  ReadOnlyDatabase,
  StatementConfined,
} from "rowhouse/plugin-api/errors";
import { formFields, joinedInSlices, linkHeader, rejectIfMatch } from "rowhouse/plugin-api/http";
import { jsonPieces, parseJsonTreeInSlices, type JsonObject, type JsonValue } from "rowhouse/plugin-api/json";
import type { CannedQuery } from "rowhouse/plugin-api/contracts";
import { isNumber, type Rows } from "rowhouse/plugin-api/engine";
import { withMagicValues } from "./magic-parameters.js";
import { boundValues, encodable, type Values } from "./parameters.js";
import { tOf } from "./texts.js";

/**
 * POST to a writing canned query: runs it with the values of the body. The reply is JSON, or a redirect with a message
 * on the next page.
 *
 * @throws MethodNotAllowed if the query only reads, ReadOnlyDatabase if the database is immutable, WriteRejected for `If-Match`
 */
export async function writeView(visit: Visit<"query">): Promise<Reply> {
  const { rowhouse, request, target } = visit;
  const { database, query } = target;
  if (query.write !== true) throw new MethodNotAllowed(["GET", "HEAD"]);
  if (!database.mutable) throw new ReadOnlyDatabase();
  rejectIfMatch(request);
  await checkAllowlist(visit);
  const body = await readBody(request, rowhouse.setting("max_post_body_bytes"));
  if (body instanceof BadRequest) return asJson({ ok: false, message: body.message, redirect: null }, 400);
  if (wantsJson(request, body)) {
    const outcome = await execute(visit, body, changesMessage);
    return asJson(outcome, outcome.ok ? 200 : failureStatus(rowhouse));
  }
  const t = tOf(visit);
  const outcome = await execute(visit, body, (count) => t("query.executed", { count }));
  rowhouse.serviceIfAny("messages")?.add(request, outcome.message, outcome.ok ? "info" : "error");
  const redirect = reply.redirect(outcome.redirect ?? rowhouse.urls.path(request.path));
  // The configured text can contain characters that a header cannot.
  const location = String(redirect.headers["location"]);
  return reply.withHeaders(redirect, linkHeader(`<${location}>; rel=preload`));
}

/** @throws StatementConfined if the query uses a table that the actor may not view and has no grant of its own */
async function checkAllowlist({ rowhouse, actor, target }: Visit<"query">): Promise<void> {
  const { database, query } = target;
  const allowlist = await rowhouse.service("confinement").ofQuery(actor, database, query);
  if (allowlist === null) return;
  const { reads, writes } = await database.analyse(query.sql);
  if (reads === null || writes === null) throw new StatementConfined();
  if ([...reads, ...writes].some((name) => !allowlist.tables.has(name))) throw new StatementConfined();
}

interface Outcome {
  readonly ok: boolean;
  readonly message: string;
  readonly redirect: string | null;
  /** Rows of a RETURNING clause; absent without one. */
  readonly rows?: readonly ReadonlyMap<string, SqlValue>[];
  readonly truncated?: boolean;
}

async function readBody(request: Request, maxBytes: number): Promise<Values | BadRequest> {
  try {
    return await bodyValues(request, maxBytes);
  } catch (error) {
    if (error instanceof BadRequest) return error;
    throw error;
  }
}

const asJson = (outcome: Outcome, status: number): Reply => reply.json(jsonText(outcome), status);

const wantsJson = (request: Request, body: Values): boolean =>
  request.headers["accept"] === "application/json" ||
  Boolean(request.query.get("_json")) ||
  Boolean(body.get("_json"));

async function execute(
  visit: Visit<"query">,
  body: Values,
  successMessage: (changes: number) => string,
): Promise<Outcome> {
  const { rowhouse, request, actor, target } = visit;
  const { database, query } = target;
  try {
    const values = await withMagicValues(rowhouse, {
      request,
      actor,
      dialect: database.dialect,
      sql: query.sql,
      values: body,
    });
    const { sql, params } = database.dialect.expandFunctions({
      sql: query.sql,
      params: boundValues(database.dialect, query.sql, values),
    });
    const facts = { database: database.name, table: null, request, actor };
    const wrapWrite = (await rowhouse.serviceIfAny("events")?.around(facts)) ?? null;
    const { changes, returned } = await database.write(
      (transaction) =>
        wrapWrite === null
          ? transaction.run(sql, params)
          : wrapWrite(() => transaction.run(sql, params), transaction),
      { repeatable: wrapWrite === null },
    );
    await rowhouse.serviceIfAny("events")?.track({
      name: "write-query",
      actor,
      created: new Date(),
      database: database.name,
      query: query.name,
      num_rows: changes,
    });
    const message = configured(query, "on_success_message") ?? successMessage(changes);
    const redirect = configured(query, "on_success_redirect");
    const maxRows = rowhouse.setting("max_returned_rows");
    return { ok: true, message, redirect, ...(returned !== undefined && shownRows(returned, maxRows)) };
  } catch (error) {
    if (!(error instanceof InvalidSql || error instanceof DatabaseUnavailable)) throw error;
    const shown = await rowhouse
      .serviceIfAny("writeErrors")
      ?.ofQuery(visit, { database, sql: query.sql }, error);
    const message = configured(query, "on_error_message") ?? messageOf(shown ?? error);
    return { ok: false, message, redirect: configured(query, "on_error_redirect") };
  }
}

/** The Datasette API answers with 200 here; its later versions, whose errors the setting is for, with 400. */
const failureStatus = ({ settings }: Rowhouse): number =>
  settings.get("uniform_errors")?.value === true ? 400 : 200;

/** The rows of a RETURNING clause, limited to `maxRows`. */
function shownRows({ columns, rows }: Rows, maxRows: number): Pick<Outcome, "rows" | "truncated"> {
  const objects = rows
    .slice(0, maxRows)
    .map((row) => new Map(columns.map((column, index) => [column, row[index] ?? null])));
  return { rows: objects, truncated: rows.length > maxRows };
}

function configured(query: CannedQuery, key: string): string | null {
  const value = query[key];
  return typeof value === "string" && value !== "" ? value : null;
}

/** In JSON, which is English. */
const changesMessage = (changes: number): string =>
  `Query executed, ${changes} ${changes === 1 ? "row" : "rows"} affected`;

/**
 * Parameters from the body: a JSON object if the text has braces, else form fields, the first of each name. Text and
 * numbers are bound as text, other JSON values by type.
 *
 * @throws BadRequest for invalid JSON, and for text that UTF-8 cannot encode
 */
async function bodyValues(request: Request, maxBytes: number): Promise<Values> {
  const text = decodeUtf8(await request.body(maxBytes)).trim();
  if (text.startsWith("{") && text.endsWith("}")) return jsonValues(text, request);
  const values = new Map<string, SqlInput>();
  for (const [name, value] of formFields(text)) if (!values.has(name)) values.set(name, value);
  return values;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new BadRequest("The body is not UTF-8 text");
  }
}

/** As many as a form has fields. */
const MOST_MEMBERS = 20_000;

async function jsonValues(text: string, request: Request): Promise<Values> {
  const members = (await parsed(text, request)) as JsonObject;
  if (members.size > MOST_MEMBERS) throw new BadRequest(`A body has at most ${MOST_MEMBERS} members`);
  const values = new Map<string, SqlInput>();
  for (const [name, value] of members) {
    values.set(name, await bodyValue(encodable(name, value), request));
  }
  return values;
}

async function bodyValue(value: JsonValue, request: Request): Promise<SqlInput> {
  if (isNumber(value)) return String(value);
  if (value === null || typeof value !== "object") return value;
  return joinedInSlices(jsonPieces(value, JSON.stringify), request);
}

async function parsed(text: string, request: Request): Promise<JsonValue> {
  try {
    return await parseJsonTreeInSlices(text, request);
  } catch (error) {
    throw error instanceof SyntaxError ? new BadRequest(`Invalid JSON: ${error.message}`) : error;
  }
}
