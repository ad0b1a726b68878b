import {
  definePlugin,
  reply,
  type Actor,
  type Reply,
  type Request,
  type Rowhouse,
} from "rowhouse/plugin-api";
import { bundledHooks } from "rowhouse/plugin-api/contracts";
import { cookie } from "rowhouse/plugin-api/http";
import { CSRF_COOKIE, isJson, issuedTo, issueToken, mayChange, readToken, refusalOf } from "./check.js";

/** Rejects unsafe requests that another site made with the cookies of a user (cross-site request forgery). */
export default definePlugin({
  name: "csrf",
  deterministic: true,
  unguarded: true,
  provides: ["csrf"],
  hooks: bundledHooks.csrf,
  apply: (rowhouse) => rowhouse.provide("csrf", { token: (request) => issueToken(rowhouse, request) }),
  intercept_request: (rowhouse, { request, actor }) =>
    mayChange(request) ? refuseForged(rowhouse, request, actor) : null,
  skip_csrf: (_rowhouse, { request }) => (isJson(request) ? true : null),
  finish_reply: (rowhouse, { value, request }) => withCookie(rowhouse, request, value),
});

async function refuseForged(
  rowhouse: Rowhouse,
  request: Request,
  actor: Actor | null,
): Promise<Reply | null> {
  const validToken = readToken(rowhouse, request);
  const refusal = await refusalOf({ rowhouse, request, actor, validToken });
  return refusal === null ? null : reply.html(refusal, 403);
}

function withCookie(rowhouse: Rowhouse, request: Request, value: Reply): Reply {
  const issued = issuedTo(request);
  if (issued === null) return value;
  const secure = request.secure || rowhouse.setting("force_https_urls");
  return reply.withHeaders(value, {
    vary: "Cookie",
    ...(issued.isNew && { "set-cookie": cookie(CSRF_COOKIE, issued.token, { secure }) }),
  });
}
