import { createHash, randomBytes } from "node:crypto";
import { BadSignature } from "rowhouse/plugin-api/errors";
import { cookie } from "rowhouse/plugin-api/http";
import type { Request, Rowhouse } from "rowhouse/plugin-api";

/** One attempt to sign in, between leaving for GitHub and coming back. It lives in a cookie of the browser. */
export interface Attempt {
  /** Comes back in the address: proof that this browser left for GitHub, and nobody else sent it there. */
  readonly state: string;
  /** Proof for GitHub that whoever trades the code in is who asked for it (PKCE, RFC 7636). */
  readonly verifier: string;
  /** Where to go when all is done: a path of this site. */
  readonly next: string;
  /** Milliseconds since the epoch. */
  readonly startedMs: number;
}

const COOKIE = "rowhouse_github_attempt";
// A namespace of its own: no other signed value can be passed off as an attempt.
const NAMESPACE = "auth-github-attempt";
const LIFETIME_SECONDS = 600;

export const newAttempt = (next: string): Attempt => ({
  state: randomBytes(24).toString("base64url"),
  verifier: randomBytes(48).toString("base64url"),
  next,
  startedMs: Date.now(),
});

/** What GitHub is told of the verifier before it sees it. */
export const challengeOf = ({ verifier }: Attempt): string =>
  createHash("sha256").update(verifier).digest("base64url");

/** A `Set-Cookie` value that keeps the attempt; `lax`, so that it comes along when GitHub sends people back. */
export const keepAttempt = (rowhouse: Rowhouse, request: Request, attempt: Attempt): string =>
  cookie(COOKIE, rowhouse.sign(attempt, NAMESPACE), {
    maxAgeSeconds: LIFETIME_SECONDS,
    secure: request.secure,
  });

export const forgetAttempt = (request: Request): string =>
  cookie(COOKIE, "", { maxAgeSeconds: 0, expires: new Date(0), secure: request.secure });

/** The attempt of this browser; null where there is none, or it took too long. */
export function attemptOf(rowhouse: Rowhouse, { cookies }: Request): Attempt | null {
  const value = cookies.get(COOKIE);
  if (value === undefined) return null;
  try {
    const attempt = rowhouse.unsign(value, NAMESPACE) as Attempt;
    // A signature alone never ends.
    return Date.now() - attempt.startedMs < LIFETIME_SECONDS * 1000 ? attempt : null;
  } catch (error) {
    if (error instanceof BadSignature) return null;
    throw error;
  }
}
