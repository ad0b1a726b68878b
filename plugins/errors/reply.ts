import {
  actorName,
  Forbidden,
  html,
  jsonText,
  NotFound,
  reply,
  type Reply,
  type Request,
  type Rowhouse,
} from "rowhouse/plugin-api";
import type { Advice, StatementAdvice } from "rowhouse/plugin-api/contracts";
import {
  DatabaseNotFound,
  ReadOnlyDatabase,
  TableNotFound,
  type ErrorDescription,
} from "rowhouse/plugin-api/errors";
import { keptRequest } from "./kept-request.js";
import { neededPermission } from "./needed-permission.js";
import { otherPages, type Failed } from "./other-pages.js";

/** The error in the form the request can read. */
export function errorReply(
  rowhouse: Rowhouse,
  failed: Failed,
  described: ErrorDescription,
  advice: readonly StatementAdvice[] = [],
): Reply | Promise<Reply> {
  const { status, message, title } = described;
  const isForm = isFormOfPage(failed.request);
  const errors = described.mistakes ?? [message];
  const asJson = (members: object): Reply =>
    reply.json(jsonText({ ok: false, ...members }), status, described.headers);
  if (described.mistakes !== null && !isForm) return asJson({ errors, ...codeMembers(described) });
  if (status === 405) return isTextOnly(failed.request) ? textReply(described) : asJson({ error: message });
  if (isAction(failed.request) && !isForm) return asJson({ errors, ...codeMembers(described) });
  if (!readsJson(failed.request) && !isPostWithJson(failed))
    return errorPage(rowhouse, failed, described, advice);
  return asJson({ error: message, status, title, ...codeMembers(described), ...adviceMember(advice) });
}

const textReply = ({ status, message, headers }: ErrorDescription): Reply =>
  reply.text(message, status, headers);

/** Programs repeat a request that was answered with 503. The code says whether a write may be stored already. */
const codeMembers = ({ status, code, errorId }: ErrorDescription): object => ({
  ...(status === 503 && code !== null && { code }),
  ...(errorId !== null && { error_id: errorId }),
});

const adviceMember = (advice: readonly Advice[]): { readonly advice?: readonly Advice[] } =>
  advice.length === 0 ? {} : { advice: advice.map(({ reason, index }) => ({ reason, index })) };

/** The Datasette API compares the whole header here: clients that send a type with a charset get text. */
const isTextOnly = ({ path, headers }: Request): boolean =>
  !path.endsWith(".json") && headers["content-type"] !== "application/json";

/** An action of the write API on something inside a database: `/<database>/.../-/<action>`. */
const isAction = ({ method, path }: Request): boolean =>
  ((method !== "GET" && method !== "HEAD") || READING_ACTION.test(path)) &&
  /^\/[^/]+\/(?:.+\/)?-\/[^/]+$/.test(path);

/** The actions that read. GET requests for other paths of this form are for pages. */
const READING_ACTION = /\/-\/foreign-key-(?:targets|suggestions)$/;

/** Browsers ask for HTML if they send the form of a page; scripts and other clients have to name it. */
const isFormOfPage = (request: Request): boolean =>
  request.method === "POST" && !readsJson(request) && /\btext\/html\b/i.test(request.headers["accept"] ?? "");

const readsJson = (request: Request): boolean =>
  request.path.endsWith(".json") ||
  request.query.get("_format") === "json" ||
  request.headers["accept"] === "application/json" ||
  sendsJson(request);

/**
 * A canned query with `_json` replies with JSON, also if its database is immutable or the body too long. If the actor may
 * not view it, the reply is a page, as in the Datasette API. On GET, `_json` names a column.
 */
const isPostWithJson = ({ request, error }: Failed): boolean =>
  request.method === "POST" && Boolean(request.query.get("_json")) && !(error instanceof Forbidden);

const sendsJson = ({ headers }: Request): boolean =>
  /^application\/json\s*(;|$)/i.test(headers["content-type"] ?? "");

async function errorPage(
  rowhouse: Rowhouse,
  failed: Failed,
  described: ErrorDescription,
  advice: readonly StatementAdvice[],
): Promise<Reply> {
  const { status, message, title, headers, errorId } = described;
  const { request, actor } = failed;
  const pages = rowhouse.serviceIfAny("pages");
  if (pages === null) return plainPage(described);
  try {
    return await pages.render(
      [`${status}.html`, "error.html"],
      {
        ok: false,
        error: message,
        status,
        title,
        error_id: errorId,
        advice,
        is_translated: true,
        ...(await help(rowhouse, failed, described)),
      },
      { request, actor, status, viewName: "error", headers },
    );
  } catch (cause) {
    rowhouse.log.error("The error page itself failed", cause, { request_id: request.id });
    return plainPage(described);
  }
}

/** What the page says and offers beside the message. */
async function help(rowhouse: Rowhouse, failed: Failed, { status, message }: ErrorDescription) {
  const { request, actor } = failed;
  const isWrite = request.method !== "GET" && request.method !== "HEAD";
  return {
    // No actor can write to an immutable database, so signing in would not help.
    depends_on_actor: status === 403 && !(failed.error instanceof ReadOnlyDatabase),
    needed: status === 403 ? neededPermission(rowhouse, request, message) : null,
    signed_in_as: actor === null ? null : actorName(actor),
    missing_page: isOfNoRoute(failed.error) ? rowhouse.urls.path(request.path) : null,
    kept: keptRequest(rowhouse, request),
    was_form: isWrite,
    // Links need permissions, which may need the database that failed.
    other_pages: await otherPages(rowhouse, failed).catch(() => []),
  };
}

/** True if no route has the path, in which a dash is no name, or if the message only repeats the status. */
const isOfNoRoute = (error: Error): boolean =>
  (error instanceof DatabaseNotFound && error.database === "-") ||
  (error instanceof TableNotFound && error.table === "-") ||
  (error instanceof NotFound && error.message === "404");

/** For when nothing else can draw a page. */
function plainPage({ status, message, title, headers, errorId }: ErrorDescription): Reply {
  const heading = title ?? `Error ${status}`;
  const page = html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <title>${heading}</title>
      <h1>${heading}</h1>
      <p>${message}</p>
      ${errorId && html`<p>Error id: ${errorId}</p>`}
    </html> `;
  return reply.html(page.markup, status, headers);
}
