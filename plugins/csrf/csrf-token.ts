import { randomInt, createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { BadSignature } from "rowhouse/plugin-api";
import type { Request, Rowhouse } from "rowhouse/plugin-api";

export const CSRF_COOKIE = "rowhouse_csrf";
const NAMESPACE = "csrf";
const CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const LENGTH = 16;

/** The token of a page with forms. */
export interface IssuedToken {
  /** As it is in the visitor's cookie. */
  readonly token: string;
  /** As it is in the forms. */
  readonly masked: string;
  /** The browser does not have it yet. */
  readonly isNew: boolean;
}

const issued = new WeakMap<Request, IssuedToken>();

/** The token of the request's cookie; null where there is none that we signed. */
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

/** What a form carries on the page that answers this request: the token under a mask, one for the whole page. */
export function issueToken(rowhouse: Rowhouse, request: Request): string {
  const known = issued.get(request);
  if (known !== undefined) return known.masked;
  const fromCookie = readToken(rowhouse, request);
  const token = fromCookie ?? rowhouse.sign(randomText(), NAMESPACE);
  const masked = maskedToken(token);
  issued.set(request, { token, masked, isNew: fromCookie === null });
  return masked;
}

/** What `issueToken` gave out for this request, null when nothing asked. */
export const issuedTo = (request: Request): IssuedToken | null => issued.get(request) ?? null;

const randomText = (): string =>
  Array.from({ length: LENGTH }, () => CHARACTERS.charAt(randomInt(CHARACTERS.length))).join("");

// A multiple of three: base64 then has no bits to spare, so that no two texts mean the same.
const LENGTH_BYTES = 18;
const MASKED = new RegExp(`^[\\w-]{${(LENGTH_BYTES * 8) / 3}}$`);

/**
 * What a form carries of a token: its fingerprint under a mask that is used once. The text differs from page to
 * page, so that the length of compressed pages tells nothing about the token.
 */
export function maskedToken(token: string): string {
  const mask = randomBytes(LENGTH_BYTES);
  return Buffer.concat([mask, applied(mask, fingerprintOf(token))]).toString("base64url");
}

/** Was this text made from the token, or is it the token itself? Takes equally long for any that is not. */
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
