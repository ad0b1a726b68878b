import { timingSafeEqual } from "node:crypto";
import { Forbidden, reply, type Reply, type Request, type Visit } from "rowhouse/plugin-api";
import { actorMatches } from "rowhouse/plugin-api/access";
import { attemptOf, forgetAttempt, type Attempt } from "./attempt.js";
import { configOf } from "./config.js";
import { tokenFor, whoIs } from "./github.js";

export const CALLBACK_PATH = "/-/github-callback";

/**
 * The page to which GitHub redirects the browser: reads the account from GitHub and signs the user in.
 *
 * @throws Forbidden if the sign-in was not started in this browser, was cancelled, or is not allowed
 */
export async function finishSignIn({ rowhouse, request }: Visit): Promise<Reply> {
  const attempt = attemptOf(rowhouse, request);
  if (attempt === null || !isAnswerTo(attempt, request)) {
    throw new Forbidden("This sign-in was not started here, or took too long. Please try again.");
  }
  const code = request.query.get("code");
  if (code === null) throw new Forbidden("GitHub did not sign you in");
  const config = await configOf(rowhouse);
  const redirect = rowhouse.urls.absolute(request, rowhouse.urls.path(CALLBACK_PATH));
  const token = await tokenFor(config, { code, verifier: attempt.verifier, redirect }, request.signal);
  const actor = await whoIs(config, token, request.signal);
  if (config.allow !== null && !actorMatches(actor, config.allow)) {
    throw new Forbidden(`${actor.display} is not allowed to sign in here`);
  }
  const expiry = { expireAfterSeconds: config.expire_after_seconds };
  return reply.redirect(attempt.next, 302, {
    "set-cookie": [rowhouse.service("sessions").signIn(request, actor, expiry), forgetAttempt(request)],
    "cache-control": "no-store",
  });
}

/** Compares in constant time, as all secrets need. */
function isAnswerTo({ state }: Attempt, { query }: Request): boolean {
  const given = Buffer.from(query.get("state") ?? "");
  const expected = Buffer.from(state);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
