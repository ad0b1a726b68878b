import { reply, type Reply, type Visit } from "rowhouse/plugin-api";
import { safeLocation } from "rowhouse/plugin-api/http";
import { challengeOf, keepAttempt, newAttempt } from "./attempt.js";
import { configOf } from "./config.js";
import { CALLBACK_PATH } from "./finish-sign-in.js";

export const SIGN_IN_PATH = "/-/github-sign-in";

/** Redirects the browser to GitHub. `?next=/library` is the page after the sign-in. */
export async function startSignIn({ rowhouse, request }: Visit): Promise<Reply> {
  const { client_id, site, organisations } = await configOf(rowhouse);
  const next = request.query.get("next");
  const attempt = newAttempt(next === null ? rowhouse.urls.instance() : safeLocation(next));
  const address = new URL("/login/oauth/authorize", site);
  address.search = new URLSearchParams({
    client_id,
    redirect_uri: rowhouse.urls.absolute(request, rowhouse.urls.path(CALLBACK_PATH)),
    scope: organisations ? "read:org" : "",
    state: attempt.state,
    code_challenge: challengeOf(attempt),
    code_challenge_method: "S256",
  }).toString();
  return reply.redirect(address.href, 302, {
    "set-cookie": keepAttempt(rowhouse, request, attempt),
    "cache-control": "no-store",
  });
}
