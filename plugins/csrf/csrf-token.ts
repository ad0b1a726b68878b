import { randomInt, createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { BadSignature } from "rowhouse/plugin-api";
import type { Request, Rowhouse } from "rowhouse/plugin-api";

export const CSRF_COOKIE = "rowhouse_csrf";
const NAMESPACE = "csrf";
const CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const LENGTH = 16;

/** The token of a page with forms. */
export interface IssuedToken {
  /** The token in the cookie. */
  readonly token: string;
  /** The token in forms. */
  readonly masked: string;
  /** True if the reply must set the cookie. */
  readonly isNew: boolean;
}

const issued = new WeakMap<Request, IssuedToken>();

/** The token of the cookie; null if there is none with a valid signature. */
export function readToken(rowhouse: Rowhouse, request: Request): string | null {
  const token = request.cookies.get(CSRF_COOKIE);
  if (token === undefined) return null;
  try {
    rowhouse.unsign(token, NAMESPACE);
    return token;
  } catch (error) {
    if (error instanceof BadSignature) return null;
    throw error;
  }
}

/** The masked token for the forms of the reply to this request. */
export function issueToken(rowhouse: Rowhouse, request: Request): string {
  const known = issued.get(request);
  if (known !== undefined) return known.masked;
  const fromCookie = readToken(rowhouse, request);
  const token = fromCookie ?? rowhouse.sign(randomText(), NAMESPACE);
  const masked = maskedToken(token);
  issued.set(request, { token, masked, isNew: fromCookie === null });
  return masked;
}

/** The token that `issueToken` returned for this request; null if it was not called. */
export const issuedTo = (request: Request): IssuedToken | null => issued.get(request) ?? null;

const randomText = (): string =>
  Array.from({ length: LENGTH }, () => CHARACTERS.charAt(randomInt(CHARACTERS.length))).join("");

// A multiple of three: base64 then has no unused bits, so each value has exactly one text.
const LENGTH_BYTES = 18;
const MASKED = new RegExp(`^[\\w-]{${(LENGTH_BYTES * 8) / 3}}$`);

/**
 * The token for forms: its digest with a random mask. The text differs on each page, so that the length of compressed
 * pages reveals nothing about the token (BREACH).
 */
export function maskedToken(token: string): string {
  const mask = randomBytes(LENGTH_BYTES);
  return Buffer.concat([mask, applied(mask, fingerprintOf(token))]).toString("base64url");
}

/** True for the token itself and for a masked form of it. Compares in constant time. */
export function isOfToken(given: string, token: string): boolean {
  if (!MASKED.test(given)) return isSame(Buffer.from(given), Buffer.from(token));
  const bytes = Buffer.from(given, "base64url");
  const mask = bytes.subarray(0, LENGTH_BYTES);
  return isSame(applied(mask, bytes.subarray(LENGTH_BYTES)), fingerprintOf(token));
}

const fingerprintOf = (token: string): Buffer =>
  createHash("sha256").update(token).digest().subarray(0, LENGTH_BYTES);

const applied = (mask: Buffer, bytes: Buffer): Buffer =>
  Buffer.from(bytes.map((byte, place) => byte ^ (mask[place] ?? 0)));

const isSame = (left: Buffer, right: Buffer): boolean =>
  left.length === right.length && timingSafeEqual(left, right);
