import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { jsonText } from "rowhouse/plugin-api";

/** The reply: the status, and the reason. */
type Refusal = readonly [status: string, error: string];

const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The address and the headers are too long"],
  HPE_INVALID_URL: [
    "400 Bad Request",
    "The address has characters that must be percent-encoded, such as %C3%A9 for é",
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["413 Payload Too Large", "The chunk extensions are too long"],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request took too long to arrive"],
};
const UNREADABLE: Refusal = ["400 Bad Request", "This is no HTTP request"];

interface UnreadableError extends NodeJS.ErrnoException {
  /** The received bytes from the first unread one. */
  readonly rawPacket?: Buffer;
}

/**
 * Replies to data that is no valid request, and closes the connection, because the start of the next request is
 * unknown. A listener of `clientError`.
 */
export function replyToMalformedRequest(error: UnreadableError, socket: Duplex): void {
  const reply = (socket as Duplex & { _httpMessage?: ServerResponse | null })["_httpMessage"];
  // A second reply would be written into the middle of the first.
  if (!socket.writable || reply?.headersSent === true || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const target = targetOfStrangeMethod(error);
  socket.end(target === null ? refused(REFUSALS[error.code ?? ""] ?? UNREADABLE) : methodNotAllowed(target));
}

/** Tunnels are not supported. A listener of `connect`. */
export const rejectTunnel = ({ url = "" }: IncomingMessage, socket: Duplex): void =>
  void socket.end(methodNotAllowed(url));

/** The requested format is unknown. The document is that of all errors. */
const refused = ([status, error]: Refusal): string =>
  written(status, [JSON_TYPE], jsonText({ ok: false, error, status: Number.parseInt(status), title: null }));

const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ (\S+) HTTP\/1\.[01]\r?\n/;

/** Node's parser rejects methods that are not on its list. */
function targetOfStrangeMethod({ code, rawPacket }: UnreadableError): string | null {
  if (code !== "HPE_INVALID_METHOD") return null;
  return REQUEST_LINE.exec(rawPacket?.toString("latin1") ?? "")?.[1] ?? null;
}

/** No path accepts a method that Node does not know. */
function methodNotAllowed(target: string): string {
  const isJson = /^[^?]*\.json(?:\?|$)/.test(target);
  const body = isJson ? '{"ok": false, "error": "Method not allowed"}' : "Method not allowed";
  return written(
    "405 Method Not Allowed",
    ["Allow: GET, HEAD, POST, OPTIONS", isJson ? JSON_TYPE : TEXT_TYPE],
    body,
  );
}

const JSON_TYPE = "Content-Type: application/json; charset=utf-8";
const TEXT_TYPE = "Content-Type: text/plain; charset=utf-8";

const written = (status: string, headers: readonly string[], body: string): string =>
  [
    `HTTP/1.1 ${status}`,
    ...headers,
    "Connection: close",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "",
    body,
  ].join("\r\n");
