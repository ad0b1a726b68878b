import { UriTooLong } from "./errors.js";

/** What the client sent. Never written to: per-request state lives in a WeakMap of the plugin that needs it. */
export interface Request {
  readonly method: string;
  /** Path as sent, still encoded, base URL and query string removed; always begins with `/`. */
  readonly path: string;
  /** The query string as sent, without `?`. */
  readonly queryString: string;
  readonly query: URLSearchParams;
  /** Header names in lower case; of repeated headers the values joined with `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly cookies: ReadonlyMap<string, string>;
  /** Scheme and host as the client sees them: `https://data.example.org`. */
  readonly origin: string;
  readonly secure: boolean;
  readonly remoteAddress: string | null;
  /** When it arrived, on the clock of `performance.now()`. */
  readonly receivedMs: number;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  /**
   * The whole body; may be called more than once.
   * @param maxBytes default the setting `max_post_body_bytes`; 0 means no limit
   * @throws PayloadTooLarge as soon as `maxBytes` is passed
   */
  body(maxBytes?: number): Promise<Buffer>;
  /** The body as it arrives, for uploads that are not held in memory. Only instead of `body`, and once. */
  stream(): AsyncIterable<Uint8Array>;
}

/** Header names in lower case; a list is sent as several headers. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[]>>;
/** The body whole or in pieces; text is sent as UTF-8. */
export type ReplyBody = string | Uint8Array | AsyncIterable<string | Uint8Array>;

/** What goes back. Header names in lower case. A body that throws midway cuts the connection. */
export interface Reply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly body: ReplyBody;
}

/** Tells a reply from a page, or from any other answer. */
export const isReply = (value: unknown): value is Reply =>
  typeof value === "object" && value !== null && "status" in value && "headers" in value && "body" in value;

const JSON_TYPE = "application/json; charset=utf-8";
const HTML_TYPE = "text/html; charset=utf-8";
const TEXT_TYPE = "text/plain; charset=utf-8";

// Node's HTTP client refuses replies whose headers are longer than 16 kB in all.
const LONGEST_LINK = 4_000;
const LONGEST_LOCATION = 8_000;

/** A `Link` header; none where an address in it is so long that clients would refuse the whole reply. */
export const linkHeader = (link: string): ReplyHeaders => (link.length > LONGEST_LINK ? {} : { link });

/** Makes replies. */
export const reply = {
  /** `body` is finished JSON text (see `jsonText`). */
  json: (body: string, status = 200, headers: ReplyHeaders = {}): Reply => ({
    status,
    headers: { "content-type": JSON_TYPE, ...headers },
    body,
  }),
  html: (body: string, status = 200, headers: ReplyHeaders = {}): Reply => ({
    status,
    headers: { "content-type": HTML_TYPE, ...headers },
    body,
  }),
  text: (body: string, status = 200, headers: ReplyHeaders = {}): Reply => ({
    status,
    headers: { "content-type": TEXT_TYPE, ...headers },
    body,
  }),
  /**
   * `location` is a path of this site; see `safeLocation` for anything a caller had a hand in.
   * @throws UriTooLong where clients would refuse the header
   */
  redirect: (location: string, status: 301 | 302 | 303 = 302, headers: ReplyHeaders = {}): Reply => {
    if (location.length > LONGEST_LOCATION) throw new UriTooLong();
    return { status, headers: { "content-type": TEXT_TYPE, location, ...headers }, body: "" };
  },
  /** The same reply with more headers; of equal names the new one stays, except that cookies add up. */
  withHeaders: (from: Reply, headers: ReplyHeaders): Reply => ({
    ...from,
    headers: mergeHeaders(from.headers, headers),
  }),
} as const;

function mergeHeaders(before: ReplyHeaders, added: ReplyHeaders): ReplyHeaders {
  const merged = { ...before, ...added };
  if ("set-cookie" in merged) merged["set-cookie"] = both(before["set-cookie"], added["set-cookie"]);
  const [varied, varying] = [before["vary"], added["vary"]];
  if (varied !== undefined && varying !== undefined && varied !== varying) {
    merged["vary"] = [...new Set(both(varied, varying).flatMap((names) => names.split(", ")))].join(", ");
  }
  return merged;
}

type HeaderValue = ReplyHeaders[string] | undefined;

const both = (one: HeaderValue = [], other: HeaderValue = []): string[] => [one, other].flat();

/** Attributes of a cookie; without `maxAgeSeconds` and `expires` it ends with the browser. Default http-only, `lax`, path `/`. */
export interface CookieOptions {
  readonly maxAgeSeconds?: number;
  readonly expires?: Date;
  readonly httpOnly?: boolean;
  readonly secure?: boolean;
  readonly sameSite?: "lax" | "strict";
  readonly path?: string;
}

/** A `Set-Cookie` value. `value` must already be cookie-safe, as signed values are. */
export function cookie(name: string, value: string, options: CookieOptions = {}): string {
  const parts = [`${name}=${value === "" ? '""' : value}`];
  if (options.expires !== undefined) parts.push(`expires=${options.expires.toUTCString()}`);
  if (options.maxAgeSeconds !== undefined) parts.push(`Max-Age=${options.maxAgeSeconds}`);
  parts.push(`Path=${options.path ?? "/"}`);
  parts.push(`SameSite=${options.sameSite ?? "lax"}`);
  if (options.httpOnly ?? true) parts.push("HttpOnly");
  if (options.secure === true) parts.push("Secure");
  return parts.join("; ");
}

/**
 * A `content-disposition` that saves under `name`, whatever characters it has. `plain` is what clients see that
 * read nothing but ASCII; default `name` with everything doubtful replaced.
 */
export function attachment(name: string, plain = name): string {
  if (Math.max(name.length, plain.length) > LONGEST_NAME)
    return attachment(shortened(name), shortened(plain));
  const ascii = plain.replace(/[^\x20-\x7e]|["\\]/g, "_");
  const fallback = `attachment; filename="${ascii}"`;
  return ascii === name ? fallback : `${fallback}; filename*=UTF-8''${extendedValue(name)}`;
}

// File systems take no longer names.
const LONGEST_NAME = 200;

/** Without the middle: the end has the extension. */
const shortened = (name: string): string =>
  name.length > LONGEST_NAME ? `${name.slice(0, 150)}_${name.slice(-40)}` : name;

/** RFC 8187: like a URL component, less the characters that have a meaning in header values. */
const extendedValue = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** A `Cookie` header by name. Of two cookies of one name the first counts; values in double quotes lose them. */
export function parseCookies(header: string | undefined): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of header?.split(";") ?? []) {
    const equals = pair.indexOf("=");
    const name = pair.slice(0, Math.max(equals, 0)).trim();
    const value = pair.slice(equals + 1).trim();
    if (name !== "" && !cookies.has(name)) cookies.set(name, value.replace(/^"(.*)"$/s, "$1"));
  }
  return cookies;
}

/** Does an `If-None-Match` header name this tag? `*` is not answered: the page might not exist. */
export function hasTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const opaque = tag.replace(/^W\//, "");
  return header.split(",").some((one) => one.trim().replace(/^W\//, "") === opaque);
}
