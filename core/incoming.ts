import type { IncomingMessage, ServerResponse } from "node:http";
import {
  BadRequest,
  parseCookies,
  PayloadTooLarge,
  type FetchOptions,
  type Request,
  type Rowhouse,
} from "rowhouse/plugin-api";

interface Parts {
  readonly method: string;
  /** Path and query string as sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly encrypted: boolean;
  readonly remoteAddress: string | null;
  /** Aborts when the client goes away; made when first asked for. */
  signal(): AbortSignal;
  readonly body: AsyncIterable<Uint8Array>;
}

/** What a client sent over a socket, as plugins see it. */
export function requestFromSocket(
  rowhouse: Rowhouse,
  message: IncomingMessage,
  response: ServerResponse,
): Request {
  let gone: AbortController | undefined;
  // Most requests are answered before anybody asks whether the client is still there.
  const signal = (): AbortSignal => (gone ??= abortedWhenGone(response)).signal;
  return makeRequest(rowhouse, {
    method: message.method ?? "GET",
    target: message.url ?? "/",
    headers: message.headers as Readonly<Record<string, string | undefined>>,
    encrypted: "encrypted" in message.socket && message.socket.encrypted === true,
    remoteAddress: message.socket.remoteAddress ?? null,
    signal,
    body: message,
  });
}

function abortedWhenGone(response: ServerResponse): AbortController {
  const gone = new AbortController();
  const leave = (): void => {
    if (!response.writableFinished) gone.abort();
  };
  if (response.closed) leave();
  else response.once("close", leave);
  return gone;
}

/** Of a client that never goes away. */
const STAYS = new AbortController().signal;

/** A request that never saw a socket. */
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
    signal: () => STAYS,
    body: once(Buffer.from(options.body ?? "")),
  });
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

function makeRequest(rowhouse: Rowhouse, parts: Parts): Request {
  const { method, headers, remoteAddress } = parts;
  const { path, queryString } = splitTarget(parts.target, rowhouse.setting("base_url"));
  const secure = isSecure(parts) || rowhouse.setting("force_https_urls");
  let query: URLSearchParams | undefined;
  let cookies: ReadonlyMap<string, string> | undefined;
  let whole: Promise<Buffer> | undefined;
  return {
    method,
    path,
    queryString,
    get query() {
      return (query ??= new URLSearchParams(queryString));
    },
    headers,
    get cookies() {
      return (cookies ??= parseCookies(headers["cookie"]));
    },
    origin: `${secure ? "https" : "http"}://${headers["host"] ?? "localhost"}`,
    secure,
    remoteAddress,
    receivedMs: performance.now(),
    get signal() {
      return parts.signal();
    },
    body: (maxBytes) => (whole ??= readAll(parts.body, maxBytes)),
    stream: () => parts.body,
  };
}

function splitTarget(
  target: string,
  baseUrl: string,
): { readonly path: string; readonly queryString: string } {
  // The absolute form that proxies are sent.
  const local = target.replace(/^https?:\/\/[^/?#]*/i, "");
  const mark = local.indexOf("?");
  const whole = mark === -1 ? local : local.slice(0, mark);
  const path = baseUrl !== "/" && whole.startsWith(baseUrl) ? whole.slice(baseUrl.length - 1) : whole;
  return {
    path: path.startsWith("/") ? path : `/${path}`,
    queryString: mark === -1 ? "" : local.slice(mark + 1),
  };
}

const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;

/** A proxy is believed only when it runs on this machine. */
const isSecure = ({ encrypted, headers, remoteAddress }: Parts): boolean =>
  encrypted ||
  (headers["x-forwarded-proto"] === "https" && (remoteAddress === null || LOOPBACK.test(remoteAddress)));

async function readAll(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      length += chunk.length;
      if (maxBytes > 0 && length > maxBytes) throw new PayloadTooLarge(maxBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof PayloadTooLarge) throw error;
    throw new BadRequest("The request body could not be read", { cause: error });
  }
  return Buffer.concat(chunks);
}
