import { timingSafeEqual } from "node:crypto";
import { Forbidden, reply, type Reply, type Request, type Visit } from "rowhouse/plugin-api";
import { actorMatches } from "rowhouse/plugin-api/access";
import { attemptOf, forgetAttempt } from "./attempt.js";
import type { Attempt } from "./attempt.js";
import { configOf } from "./config.js";
import { tokenFor, whoIs } from "./github.js";

export const CALLBACK_PATH = "/-/github-callback";

/**
 * Where GitHub sends the browser back to: finds out who it is and signs them in.
 *
 * @throws Forbidden for whoever did not leave from here, said no, or is not allowed in
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

/** Compared in constant time, as all secrets are. */
function isAnswerTo({ state }: Attempt, { query }: Request): boolean {
  const given = Buffer.from(query.get("state") ?? "");
  const expected = Buffer.from(state);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
