import { WriteRejected } from "../errors/classes.js";
import { UriTooLong } from "../errors/http-errors.js";
import { synchronous } from "../kernel/hook-results.js";

/** A request. It is read-only: plugins keep state per request in a `WeakMap<Request, ...>` of their own. */
export interface Request {
  /** The header `x-request-id`, otherwise a new id. Log lines of the request contain it as `request_id`. */
  readonly id: string;
  readonly method: string;
  /** The path as sent, encoded, without base URL and query string; always begins with `/`. */
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
  /** Of the connection: behind a proxy that of the proxy. `127.0.0.1` for `rowhouse.fetch`, null for Unix sockets. */
  readonly remoteAddress: string | null;
  /** The time of arrival, in milliseconds of `performance.now()`. */
  readonly receivedMs: number;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /**
   * Reads the whole body; may be called more than once.
   *
   * @param maxBytes default the setting `max_post_body_bytes`; 0 is no limit
   * @throws PayloadTooLarge as soon as more than `maxBytes` have arrived
   * @throws UnsupportedMediaType if the body is compressed; also thrown by `json`, `form` and `stream`
   * @throws BadRequest if the body cannot be read
   */
  body(maxBytes?: number): Promise<Buffer>;
  /**
   * The body as JSON, parsed in slices. Numbers are exact: an integer is a `bigint` if a `number` is not, a number with a
   * point or an exponent is a `Real`. The content type is not checked.
   *
   * @example
   * const document = await request.json(); // {"id": 9007199254740993} has the bigint 9007199254740993n
   * @param maxBytes as of `body`
   * @throws BadRequest if the body is not JSON in UTF-8
   * @throws PayloadTooLarge
   */
  json(maxBytes?: number): Promise<unknown>;
  /**
   * The body as a form: `multipart/form-data`, else `application/x-www-form-urlencoded`.
   *
   * @example
   * const { fields, files } = await request.form();
   * const title = fields.get("title") ?? "";
   * const bytes = await files.get("photo")?.arrayBuffer();
   * @param maxBytes as of `body`; files are kept in memory, too
   * @throws BadRequest if the parts of a multipart body cannot be read
   * @throws PayloadTooLarge
   */
  form(maxBytes?: number): Promise<Form>;
  /** The body as stream, for uploads that do not fit in memory. Call it once, and not together with `body`. */
  stream(): AsyncIterable<Uint8Array>;
}

/** A form that was sent. */
export interface Form {
  /** The text fields in the order of the body. A name can occur more than once. */
  readonly fields: URLSearchParams;
  /** The files, by the name of their field; of several files in one field the last. */
  readonly files: ReadonlyMap<string, File>;
}

/** Headers by lower-case name; an array is sent as several headers. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[]>>;
/** A whole body or a stream; text is sent as UTF-8. */
export type ReplyBody = string | Uint8Array | AsyncIterable<string | Uint8Array>;

/** A body that is sent in pieces (a stream). */
export type BodyStream = Exclude<ReplyBody, string | Uint8Array>;

/**
 * True for a stream, false for text and bytes.
 *
 * @example
 * isBodyStream("text"); // false
 */
export const isBodyStream = (body: ReplyBody): body is BodyStream =>
  typeof body === "object" && !(body instanceof Uint8Array);

/** A reply. If a stream throws while it is sent, the connection is closed. */
export interface Reply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly body: ReplyBody;
}

/**
 * The header `If-Match`; null without it, and for `*`, which matches any version.
 *
 * @example
 * ifMatchHeader(request); // null
 */
export function ifMatchHeader({ headers }: Pick<Request, "headers">): string | null {
  const header = headers["if-match"];
  return header === undefined || header.trim() === "*" ? null : header;
}

/**
 * Rejects `If-Match` where versions are not compared: to ignore it would overwrite changes that the client wants to keep.
 *
 * @example
 * rejectIfMatch(request);
 * @throws WriteRejected
 */
export function rejectIfMatch(request: Pick<Request, "headers">): void {
  if (ifMatchHeader(request) === null) return;
  throw new WriteRejected(["If-Match is for the update or deletion of one row, by its own path"]);
}

const changesOf = new WeakMap<Request, ((made: Reply) => Reply)[]>();

/**
 * Changes the reply to one request, before `finish_reply`: for a plugin that adds something, such as a cookie, to few
 * replies. Functions run in the order in which they were added, on pages and on errors.
 *
 * @example
 * onReply(request, (made) => reply.withHeaders(made, { "set-cookie": cookie("theme", "dark") }));
 */
export function onReply(request: Request, change: (made: Reply) => Reply): void {
  const known = changesOf.get(request);
  if (known === undefined) changesOf.set(request, [change]);
  else known.push(change);
}

/**
 * The reply with what was added by `onReply`.
 *
 * @example
 * changedReply(request, reply.text("Hello")).status; // 200
 * @throws TypeError if a function returns a promise
 */
export const changedReply = (request: Request, made: Reply): Reply =>
  (changesOf.get(request) ?? []).reduce(
    (changed, change) => synchronous(change(changed), "A function of onReply"),
    made,
  );

/**
 * True for a reply; false for a page, a reply without a body that can be sent, a `Response` of fetch, and other values.
 *
 * @example
 * isReply(reply.text("Hello")); // true
 * isReply({ status: 200, headers: {}, body: undefined }); // false
 */
export const isReply = (value: unknown): value is Reply =>
  typeof value === "object" &&
  value !== null &&
  // A `Response` of fetch inherits its members: a copy of it would have none.
  Object.hasOwn(value, "status") &&
  "headers" in value &&
  "body" in value &&
  isReplyBody(value.body);

/** True for text, bytes and what can be iterated over, also without waiting. */
const isReplyBody = (body: unknown): boolean =>
  typeof body === "string" ||
  (typeof body === "object" && body !== null && (Symbol.asyncIterator in body || Symbol.iterator in body));

const TEXT_TYPE = "text/plain; charset=utf-8";

// Node's HTTP client refuses replies whose headers are longer than 16 kB in all.
const LONGEST_LINK = 4_000;
const LONGEST_LOCATION = 8_000;

/**
 * A `Link` header; no header if it is so long that clients would reject the reply.
 *
 * @example
 * linkHeader('</books?_next=5>; rel="next"'); // { link: '</books?_next=5>; rel="next"' }
 */
export const linkHeader = (link: string): ReplyHeaders => (link.length > LONGEST_LINK ? {} : { link });

/** Node refuses control characters and most of Unicode in headers. Browsers read a lone surrogate as U+FFFD. */
const visibleAscii = (location: string): string =>
  location.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent);

const textOfType =
  (type: string) =>
  (body: string, status = 200, headers: ReplyHeaders = {}): Reply => ({
    status,
    headers: { "content-type": type, ...headers },
    body,
  });

/** Functions that make replies. */
export const reply = {
  /** A reply with finished JSON text (see `jsonText`). */
  json: textOfType("application/json; charset=utf-8"),
  html: textOfType("text/html; charset=utf-8"),
  text: textOfType(TEXT_TYPE),
  /**
   * A redirect to a path of this site or to a whole URL. Pass paths from requests through `safeLocation`. Leading slashes
   * and backslashes become one slash, since browsers read `//host` as another site. Characters that a header cannot
   * contain are percent-encoded.
   *
   * @throws UriTooLong if clients would reject the header
   */
  redirect: (to: string, status: 301 | 302 | 303 = 302, headers: ReplyHeaders = {}): Reply => {
    const location = visibleAscii(to.replace(/^[/\\]+/, "/"));
    if (location.length > LONGEST_LOCATION) throw new UriTooLong();
    return { status, headers: { "content-type": TEXT_TYPE, location, ...headers }, body: "" };
  },
  /** The reply with further headers. They replace headers of the same name; `set-cookie` and `vary` are combined. */
  withHeaders: ({ status, headers: before, body }: Reply, headers: ReplyHeaders): Reply => ({
    status,
    headers: mergeHeaders(before, headers),
    body,
  }),
} as const;

function mergeHeaders(before: ReplyHeaders, added: ReplyHeaders): ReplyHeaders {
  // V8 of Node 20 adds members to a copy of an object, `{ ...a, b }`, in some microseconds each; `{ b, ...a }` is fast.
  const merged: Record<string, string | readonly string[]> = Object.assign({}, before, added);
  if ("set-cookie" in merged) merged["set-cookie"] = both(before["set-cookie"], added["set-cookie"]);
  const [varied, varying] = [before["vary"], added["vary"]];
  if (varied !== undefined && varying !== undefined && varied !== varying)
    merged["vary"] = unitedNames(varied, varying);
  return merged;
}

/** The names of both headers, each once. */
function unitedNames(one: HeaderValue, other: HeaderValue): string {
  const [names, more] = [String(one).split(COMMA), String(other).split(COMMA)];
  return [...names, ...more.filter((name) => !names.includes(name))].join(", ");
}

type HeaderValue = ReplyHeaders[string] | undefined;
const COMMA = /, ?/;

const both = (one: HeaderValue = [], other: HeaderValue = []): string[] => [one, other].flat();

/**
 * Attributes of a cookie. Default: HttpOnly, SameSite `lax`, path `/`, and the session of the browser as lifetime.
 */
export interface CookieOptions {
  readonly maxAgeSeconds?: number;
  readonly expires?: Date;
  readonly httpOnly?: boolean;
  readonly secure?: boolean;
  readonly sameSite?: "lax" | "strict";
  readonly path?: string;
}

/**
 * A `Set-Cookie` header value.
 *
 * @example
 * cookie("theme", "dark", { maxAgeSeconds: 60 }); // "theme=dark; Max-Age=60; Path=/; SameSite=lax; HttpOnly"
 * @param value text that cookies allow, such as signed values: it is not escaped
 */
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
 * Parses a `Cookie` header. The first of two cookies with one name is used; double quotes around values are removed.
 *
 * @example
 * parseCookies("theme=dark; lang=en").get("theme"); // "dark"
 */
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

/**
 * True if an `If-None-Match` header contains this entity tag. Weak and strong tags are equal. `*` never matches, since
 * the page need not exist.
 *
 * @example
 * hasTag('W/"a1", "b2"', '"b2"'); // true
 */
export function hasTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const opaque = tag.replace(/^W\//, "");
  return header.split(",").some((one) => one.trim().replace(/^W\//, "") === opaque);
}
