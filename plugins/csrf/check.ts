import { createHash, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import { BadSignature } from "rowhouse/plugin-api/errors";
import type { Actor, Request, Rowhouse } from "rowhouse/plugin-api";

/** Safe methods of HTTP. */
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/** A request to check. */
export interface Checked {
  readonly rowhouse: Rowhouse;
  readonly request: Request;
  readonly actor: Actor | null;
  /** The token of its cookie; null if there is no valid one. */
  readonly validToken: string | null;
}

/** True for methods that can change data. */
export const mayChange = ({ method }: Request): boolean => !SAFE_METHODS.has(method);

/** Why a request may be forged by another site; null for an accepted request. */
export async function refusalOf(checked: Checked): Promise<string | null> {
  const { rowhouse, request, actor, validToken } = checked;
  if (!mayChange(request)) return null;
  // Without cookies there is no session to misuse.
  if (request.headers["cookie"] === undefined) return null;
  if (comesFromElsewhere(rowhouse, request)) return "Request was made by another site";
  if (proves(request.headers["x-csrftoken"], validToken)) return null;
  if ((await rowhouse.hooks.skip_csrf.promise(rowhouse, { request })) === true) return null;
  // Only a token that was accepted; otherwise any header would be sufficient.
  if (actor?.["token"] && request.headers["authorization"]?.startsWith("Bearer ") === true) return null;
  return formRefusal(checked);
}

async function formRefusal({ request, validToken }: Checked): Promise<string | null> {
  const type = mediaType(request);
  if (type !== "application/x-www-form-urlencoded" && type !== "multipart/form-data") {
    return "Unknown content-type";
  }
  const body = await request.body();
  if (type === "application/x-www-form-urlencoded") {
    const field = new URLSearchParams(body.toString("utf8")).get("csrftoken");
    return proves(field, validToken) ? null : "form-urlencoded POST field did not match cookie";
  }
  const found = multipartField(body, request.headers["content-type"] ?? "", "csrftoken");
  if (found === "file-first") {
    return "File encountered before csrftoken - make sure csrftoken is first in the HTML";
  }
  return proves(found?.value, validToken) ? null : "multipart/form-data POST field did not match cookie";
}

/** True if the headers of the browser name another site. Scripts cannot set these headers. */
function comesFromElsewhere(rowhouse: Rowhouse, request: Request): boolean {
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const origin = request.headers["origin"];
  return origin !== undefined && origin !== new URL(rowhouse.urls.absolute(request, "/")).origin;
}

const proves = (given: string | null | undefined, validToken: string | null): boolean =>
  typeof given === "string" && validToken !== null && isOfToken(given, validToken);

/** The media type of a request's body, in lower case and without parameters; empty when none is named. */
export const mediaType = (request: Request): string =>
  (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";

/** True for a JSON body, which other sites cannot send without a CORS preflight. */
export const isJson = (request: Request): boolean => mediaType(request) === "application/json";

/** A text field of a multipart body; `file-first` if a file comes before it; null if it is missing. */
export type FoundField = { readonly value: string } | "file-first" | null;

/** Looks for one text field among the parts of a `multipart/form-data` body. */
export function multipartField(body: Buffer, contentType: string, name: string): FoundField {
  const boundary = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType);
  const delimiter = boundary?.[1] ?? boundary?.[2];
  if (delimiter === undefined) return null;
  // In Latin-1 each byte is one character, so the bytes of files do not affect the split.
  for (const part of body.toString("latin1").split(`--${delimiter}`).slice(1)) {
    const end = part.indexOf("\r\n\r\n");
    if (end < 0) continue;
    const disposition = /^content-disposition:([^\r\n]*)/im.exec(part.slice(0, end))?.[1] ?? "";
    if (/;\s*filename\*?=/i.test(disposition)) return "file-first";
    if (/;\s*name="([^"]*)"/i.exec(disposition)?.[1] !== name) continue;
    return { value: Buffer.from(part.slice(end + 4).replace(/\r\n$/, ""), "latin1").toString("utf8") };
  }
  return null;
}

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
