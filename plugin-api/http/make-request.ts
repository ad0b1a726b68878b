import { randomBytes } from "node:crypto";
import { BadRequest, RowhouseError } from "../errors/classes.js";
import { PayloadTooLarge, UnsupportedMediaType } from "../errors/http-errors.js";
import { withPlainObjects } from "../json/plain-objects.js";
import { parseJsonTreeInSlices } from "../json/tree.js";
import { multipartEntries } from "./multipart.js";
import { formFields } from "./query-bytes.js";
import { parseCookies, type Form, type Request } from "./request.js";
import { checkedBody } from "./slow-body.js";
import { TimeSlices } from "./time-slices.js";
import type { FetchOptions, Rowhouse } from "../kernel/rowhouse.js";

/** The parts of a request, from HTTP or any other transport. */
export interface RequestParts {
  readonly method: string;
  /** Path and query string as sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly encrypted: boolean;
  readonly remoteAddress: string | null;
  /** Aborts when the client disconnects. */
  signal(): AbortSignal;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * A request from inside the process (`rowhouse.fetch`).
 *
 * @example
 * const request = requestInside(rowhouse, "/library/books?_size=5", { method: "GET" });
 * request.path; // "/library/books"
 */
export function requestInside(rowhouse: Rowhouse, path: string, options: FetchOptions): Request {
  const headers = Object.entries(options.headers ?? {}).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  return makeRequest(rowhouse, {
    method: options.method ?? "GET",
    target: path,
    headers: { host: "localhost", ...Object.fromEntries(headers) },
    encrypted: false,
    remoteAddress: "127.0.0.1",
    // Never aborts. A signal shared by all requests would collect listeners.
    signal: () => new AbortController().signal,
    body: once(Buffer.from(options.body ?? "")),
  });
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

/**
 * Makes a request for `rowhouse.answer`, for plugins that receive requests by another transport.
 *
 * @example
 * const request = makeRequest(rowhouse, {
 *   method: "GET",
 *   target: "/library/books.json?_shape=array",
 *   headers: { host: "localhost" },
 *   encrypted: false,
 *   remoteAddress: null,
 *   signal: () => new AbortController().signal,
 *   body: (async function* () {})(),
 * });
 * (await rowhouse.answer(request)).status; // 200
 */
export const makeRequest = (rowhouse: Rowhouse, parts: RequestParts): Request =>
  new ReceivedRequest(rowhouse, parts);

/** Query, cookies and body are parsed on first use. */
class ReceivedRequest implements Request {
  readonly method: string;
  readonly path: string;
  readonly queryString: string;
  readonly headers: Request["headers"];
  readonly origin: string;
  readonly secure: boolean;
  readonly remoteAddress: string | null;
  readonly receivedMs = performance.now();
  readonly #rowhouse: Rowhouse;
  readonly #parts: RequestParts;
  #id: string | undefined;
  #query: URLSearchParams | undefined;
  #cookies: ReadonlyMap<string, string> | undefined;
  #whole: Promise<Buffer> | undefined;

  constructor(rowhouse: Rowhouse, parts: RequestParts) {
    const { path, queryString } = splitTarget(parts.target, rowhouse.setting("base_url"));
    this.#rowhouse = rowhouse;
    this.#parts = parts;
    this.method = parts.method;
    this.path = path;
    this.queryString = queryString;
    this.headers = parts.headers;
    this.secure = isSecure(parts) || rowhouse.setting("force_https_urls");
    this.origin = `${this.secure ? "https" : "http"}://${parts.headers["host"] || "localhost"}`;
    this.remoteAddress = parts.remoteAddress;
  }

  get id(): string {
    return (this.#id ??= idOf(this.headers["x-request-id"]));
  }

  get query(): URLSearchParams {
    return (this.#query ??= new URLSearchParams(this.queryString));
  }

  get cookies(): ReadonlyMap<string, string> {
    return (this.#cookies ??= parseCookies(this.headers["cookie"]));
  }

  get signal(): AbortSignal {
    return this.#parts.signal();
  }

  readonly body = (maxBytes = this.#rowhouse.setting("max_post_body_bytes")): Promise<Buffer> =>
    (this.#whole ??= checkedBody(this, readAll(this.#parts, maxBytes)));

  readonly json = async (maxBytes?: number): Promise<unknown> => parseBody(await this.body(maxBytes), this);

  readonly form = async (maxBytes?: number): Promise<Form> =>
    readForm(await this.body(maxBytes), this.headers["content-type"]);

  readonly stream = (): AsyncIterable<Uint8Array> => uncompressed(this.#parts);
}

/** @throws UnsupportedMediaType */
function uncompressed({ headers, body }: RequestParts): AsyncIterable<Uint8Array> {
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding.toLowerCase() !== "identity") throw new UnsupportedMediaType(encoding);
  return body;
}

/** Ids that proxies make: UUIDs, numbers, base64. Others could contain text that is made to look like log lines. */
const ACCEPTED_ID = /^[\w.:@+/=-]{1,128}$/;
const idPrefix = randomBytes(6).toString("base64url");
let idCount = 0;

function idOf(given: string | undefined): string {
  if (given !== undefined && ACCEPTED_ID.test(given)) return given;
  idCount += 1;
  return `${idPrefix}-${idCount.toString(36)}`;
}

/** The target of the request line, also in the absolute form that proxies use. */
const TARGET = /^(?:https?:\/\/[^/?#]*)?([^?]*)\??(.*)$/is;

function splitTarget(target: string, baseUrl: string): Pick<Request, "path" | "queryString"> {
  const [, whole = "", queryString = ""] = TARGET.exec(target) ?? [];
  const path = baseUrl !== "/" && whole.startsWith(baseUrl) ? whole.slice(baseUrl.length - 1) : whole;
  return { path: path.startsWith("/") ? path : `/${path}`, queryString };
}

const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;

/**
 * True for a connection of a program on this machine. Only from a proxy there are headers such as `X-Forwarded-For` trusted.
 *
 * @example
 * isFromThisMachine({ remoteAddress: "127.0.0.1" }); // true
 */
export const isFromThisMachine = ({ remoteAddress }: Pick<Request, "remoteAddress">): boolean =>
  remoteAddress === null || LOOPBACK.test(remoteAddress);

const isSecure = (parts: RequestParts): boolean =>
  parts.encrypted || (parts.headers["x-forwarded-proto"] === "https" && isFromThisMachine(parts));

/** A client may send one byte at a time, and each piece takes hundreds of bytes: as many are joined to one. */
const MOST_PIECES = 256;

async function readAll(parts: RequestParts, maxBytes: number): Promise<Buffer> {
  const joined: Buffer[] = [];
  let pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of uncompressed(parts)) {
      length += piece.length;
      if (maxBytes > 0 && length > maxBytes) throw new PayloadTooLarge(maxBytes);
      pieces.push(piece);
      if (pieces.length < MOST_PIECES) continue;
      joined.push(Buffer.concat(pieces));
      pieces = [];
    }
  } catch (error) {
    if (error instanceof RowhouseError) throw error;
    throw new BadRequest("The request body could not be read", { cause: error });
  }
  const [only] = pieces;
  return joined.length === 0 && pieces.length === 1 && Buffer.isBuffer(only)
    ? only
    : Buffer.concat([...joined, ...pieces]);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

async function parseBody(body: Buffer, client: Pick<Request, "signal">): Promise<unknown> {
  try {
    return await withPlainObjects(
      await parseJsonTreeInSlices(utf8.decode(body), client),
      new TimeSlices(client),
    );
  } catch (error) {
    if (error instanceof RowhouseError) throw error;
    throw new BadRequest("The request body is not JSON in UTF-8", { cause: error });
  }
}

const MULTIPART = /^multipart\/form-data\s*;/i;

async function readForm(body: Buffer, contentType = ""): Promise<Form> {
  const fields = new URLSearchParams();
  const files = new Map<string, File>();
  if (!MULTIPART.test(contentType)) return { fields: formFields(body.toString("utf8")), files };
  for (const [name, value] of await multipartEntries(body, contentType)) {
    if (typeof value === "string") fields.append(name, value);
    else files.set(name, value);
  }
  return { fields, files };
}
