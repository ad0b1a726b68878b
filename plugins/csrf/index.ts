import {
  definePlugin,
  reply,
  type Actor,
  type Reply,
  type Request,
  type Rowhouse,
} from "rowhouse/plugin-api";
import { bundledHooks } from "rowhouse/plugin-api/contracts";
import { formFields } from "rowhouse/plugin-api/http";
import { isOfToken, issueToken, multipartField, readToken } from "./token.js";

/** Rejects unsafe requests that another site made with the cookies of a user (cross-site request forgery). */
export default definePlugin({
  name: "csrf",
  deterministic: true,
  unguarded: true,
  provides: ["csrf"],
  hooks: bundledHooks.csrf,
  setup: (rowhouse) => rowhouse.provide("csrf", { token: (request) => issueToken(rowhouse, request) }),
  intercept_request: (rowhouse, { request, actor }) =>
    mayChange(request) ? refuseForged(rowhouse, request, actor) : null,
  skip_csrf: (_rowhouse, { request }) => (isJson(request) ? true : null),
});

async function refuseForged(
  rowhouse: Rowhouse,
  request: Request,
  actor: Actor | null,
): Promise<Reply | null> {
  const refusal =
    request.headers["cookie"] === undefined
      ? await refusalWithoutCookies(rowhouse, request, actor)
      : await refusalOf({ rowhouse, request, actor, validToken: readToken(rowhouse, request) });
  if (refusal === null) return null;
  const page = isOwnForm(rowhouse, request)
    ? await refusalPage(rowhouse, request, actor, refusal)
    : undefined;
  return page ?? reply.html(refusal, 403);
}

/** True for forms of pages that browsers send. Their token is invalid after the secret or the cookie has changed. */
const isOwnForm = (rowhouse: Rowhouse, request: Request): boolean =>
  /\btext\/html\b/i.test(request.headers["accept"] ?? "") && !comesFromElsewhere(rowhouse, request);

function refusalPage(rowhouse: Rowhouse, request: Request, actor: Actor | null, refusal: string) {
  const message = `${refusal}. The form is from an earlier session. Load its page again and repeat your changes.`;
  return rowhouse.hooks.forbidden.promise(rowhouse, { request, actor, message });
}

/** Safe methods of HTTP. */
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/** A request to check. */
interface Checked {
  readonly rowhouse: Rowhouse;
  readonly request: Request;
  readonly actor: Actor | null;
  /** The token of its cookie; null if there is no valid one. */
  readonly validToken: string | null;
}

/** True for methods that can change data. */
const mayChange = ({ method }: Request): boolean => !SAFE_METHODS.has(method);

/** Why a request may be forged by another site; null for an accepted request. */
async function refusalOf(checked: Checked): Promise<string | null> {
  const { rowhouse, request, actor, validToken } = checked;
  if (comesFromElsewhere(rowhouse, request)) return FROM_ELSEWHERE;
  if (proves(request.headers["x-csrftoken"], validToken)) return null;
  if ((await rowhouse.hooks.skip_csrf.promise(rowhouse, { request })) === true) return null;
  // Only a token that was accepted; otherwise any header would be sufficient.
  if (actor?.["token"] && request.headers["authorization"]?.startsWith("Bearer ") === true) return null;
  return formRefusal(checked);
}

/**
 * Without cookies there is no session to misuse. But a plugin may take the actor from what browsers send by themselves to a
 * proxy, such as a password or a certificate. With it, another site can send what needs no CORS preflight.
 */
async function refusalWithoutCookies(
  rowhouse: Rowhouse,
  request: Request,
  actor: Actor | null,
): Promise<string | null> {
  const isFromBearer = request.headers["authorization"]?.startsWith("Bearer ") === true;
  if (actor === null || isFromBearer || !comesFromElsewhere(rowhouse, request)) return null;
  if ((await rowhouse.hooks.skip_csrf.promise(rowhouse, { request })) === true) return null;
  return FROM_ELSEWHERE;
}

const FROM_ELSEWHERE = "Request was made by another site";

async function formRefusal({ request, validToken }: Checked): Promise<string | null> {
  const type = mediaType(request);
  if (type !== "application/x-www-form-urlencoded" && type !== "multipart/form-data") {
    return "Unknown content-type";
  }
  const body = await request.body();
  if (type === "application/x-www-form-urlencoded") {
    const field = formFields(body.toString("utf8")).get("csrftoken");
    return proves(field, validToken) ? null : "form-urlencoded POST field did not match cookie";
  }
  const found = multipartField(body, request.headers["content-type"] ?? "", "csrftoken");
  if (found === "file-first") {
    return "File encountered before csrftoken - make sure csrftoken is first in the HTML";
  }
  return proves(found?.value, validToken) ? null : "multipart/form-data POST field did not match cookie";
}

/** True if the headers of the browser name another site. Scripts cannot set these headers. */
function comesFromElsewhere(rowhouse: Rowhouse, request: Request): boolean {
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const origin = request.headers["origin"];
  return origin !== undefined && origin !== new URL(rowhouse.urls.absolute(request, "/")).origin;
}

const proves = (given: string | null | undefined, validToken: string | null): boolean =>
  typeof given === "string" && validToken !== null && isOfToken(given, validToken);

/** The media type of a request's body, in lower case and without parameters; empty when none is named. */
const mediaType = (request: Request): string =>
  (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";

/** True for a JSON body, which other sites cannot send without a CORS preflight. */
const isJson = (request: Request): boolean => mediaType(request) === "application/json";
