import { randomInt } from "node:crypto";
import { BadSignature } from "rowhouse/plugin-api";
import type { Request, Rowhouse } from "rowhouse/plugin-api";
import { maskedToken } from "./masked-token.js";

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
