import { createHash, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import { reply, type Request, type Rowhouse } from "rowhouse/plugin-api";
import { BadSignature } from "rowhouse/plugin-api/errors";
import { cookie, onReply } from "rowhouse/plugin-api/http";

const CSRF_COOKIE = "rowhouse_csrf";
const NAMESPACE = "csrf";
const CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const LENGTH = 16;

const maskedByRequest = new WeakMap<Request, string>();

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

/** The masked token for the forms of the reply to this request. The reply sets the cookie if the client has none. */
export function issueToken(rowhouse: Rowhouse, request: Request): string {
  const known = maskedByRequest.get(request);
  if (known !== undefined) return known;
  const fromCookie = readToken(rowhouse, request);
  const token = fromCookie ?? rowhouse.sign(randomText(), NAMESPACE);
  const masked = maskedToken(token);
  maskedByRequest.set(request, masked);
  const secure = request.secure || rowhouse.setting("force_https_urls");
  const headers = {
    vary: "Cookie",
    ...(fromCookie === null && { "set-cookie": cookie(CSRF_COOKIE, token, { secure }) }),
  };
  onReply(request, (made) => reply.withHeaders(made, headers));
  return masked;
}

const randomText = (): string =>
  Array.from({ length: LENGTH }, () => CHARACTERS.charAt(randomInt(CHARACTERS.length))).join("");

// A multiple of three: base64 then has no unused bits, so each value has exactly one text.
const LENGTH_BYTES = 18;
const MASKED = new RegExp(`^[\\w-]{${(LENGTH_BYTES * 8) / 3}}$`);

/**
 * The token for forms: its digest with a random mask. The text differs on each page, so that the length of compressed
 * pages reveals nothing about the token (BREACH).
 */
function maskedToken(token: string): string {
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
