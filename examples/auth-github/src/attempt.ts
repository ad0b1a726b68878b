import { createHash, randomBytes } from "node:crypto";
import { BadSignature } from "rowhouse/plugin-api/errors";
import { cookie } from "rowhouse/plugin-api/http";
import type { Request, Rowhouse } from "rowhouse/plugin-api";

/** One attempt to sign in, from the redirect to GitHub until the redirect back. Stored in a cookie. */
export interface Attempt {
  /** GitHub returns it in the address. It proves that this browser started the sign-in (CSRF). */
  readonly state: string;
  /** Proves to GitHub that the server which exchanges the code also requested it (PKCE, RFC 7636). */
  readonly verifier: string;
  /** The path of this site to which the browser is redirected after the sign-in. */
  readonly next: string;
  /** Milliseconds since the epoch. */
  readonly startedMs: number;
}

const COOKIE = "rowhouse_github_attempt";
// Signatures of other namespaces are not accepted as attempts.
const NAMESPACE = "auth-github-attempt";
const LIFETIME_SECONDS = 600;

export const newAttempt = (next: string): Attempt => ({
  state: randomBytes(24).toString("base64url"),
  verifier: randomBytes(48).toString("base64url"),
  next,
  startedMs: Date.now(),
});

/** The hash of the verifier, which GitHub receives first (PKCE). */
export const challengeOf = ({ verifier }: Attempt): string =>
  createHash("sha256").update(verifier).digest("base64url");

/** A `Set-Cookie` value with the attempt. It is `lax`, so that browsers send it with the redirect from GitHub. */
export const keepAttempt = (rowhouse: Rowhouse, request: Request, attempt: Attempt): string =>
  cookie(COOKIE, rowhouse.sign(attempt, NAMESPACE), {
    maxAgeSeconds: LIFETIME_SECONDS,
    secure: request.secure,
  });

export const forgetAttempt = (request: Request): string =>
  cookie(COOKIE, "", { maxAgeSeconds: 0, expires: new Date(0), secure: request.secure });

/** The attempt of this browser; null without one, or if it has expired. */
export function attemptOf(rowhouse: Rowhouse, { cookies }: Request): Attempt | null {
  const value = cookies.get(COOKIE);
  if (value === undefined) return null;
  try {
    const attempt = rowhouse.unsign(value, NAMESPACE) as Attempt;
    // Signatures do not expire by themselves.
    return Date.now() - attempt.startedMs < LIFETIME_SECONDS * 1000 ? attempt : null;
  } catch (error) {
    if (error instanceof BadSignature) return null;
    throw error;
  }
}
