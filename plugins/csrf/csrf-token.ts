import { randomInt } from "node:crypto";
import { BadSignature } from "rowhouse/plugin-api";
import type { Request, Rowhouse } from "rowhouse/plugin-api";

export const CSRF_COOKIE = "rowhouse_csrf";
const NAMESPACE = "csrf";
const CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const LENGTH = 16;

/** The token in the forms of a page, which is the same text as in the visitor's cookie. */
export interface IssuedToken {
  readonly token: string;
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

/** The token for a form on the page that answers this request. */
export function issueToken(rowhouse: Rowhouse, request: Request): string {
  const known = issued.get(request);
  if (known !== undefined) return known.token;
  const fromCookie = readToken(rowhouse, request);
  const token = fromCookie ?? rowhouse.sign(randomText(), NAMESPACE);
  issued.set(request, { token, isNew: fromCookie === null });
  return token;
}

/** What `issueToken` gave out for this request, null when nothing asked. */
export const issuedTo = (request: Request): IssuedToken | null => issued.get(request) ?? null;

const randomText = (): string =>
  Array.from({ length: LENGTH }, () => CHARACTERS.charAt(randomInt(CHARACTERS.length))).join("");
