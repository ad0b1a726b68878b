import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { jsonText } from "rowhouse/plugin-api";

/** What is answered: the status line's end, and what went wrong in words. */
type Refusal = readonly [status: string, error: string];

const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The address and the headers are too long"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["413 Payload Too Large", "The chunk extensions are too long"],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request took too long to arrive"],
};
const UNREADABLE: Refusal = ["400 Bad Request", "This is no HTTP request"];

interface UnreadableError extends NodeJS.ErrnoException {
  /** What came, from the first byte that is not read yet. */
  readonly rawPacket?: Buffer;
}

/**
 * Answers what could not be read as a request at all, and hangs up: nobody knows where the next one begins.
 * A listener of `clientError`.
 */
export function refuseUnreadable(error: UnreadableError, socket: Duplex): void {
  const reply = (socket as Duplex & { _httpMessage?: ServerResponse | null })["_httpMessage"];
  // Other words would end up in the middle of a reply that is on its way.
  if (!socket.writable || reply?.headersSent === true || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const target = targetOfStrangeMethod(error);
  socket.end(target === null ? refused(REFUSALS[error.code ?? ""] ?? UNREADABLE) : methodNotAllowed(target));
}

/** Tunnels are not built here. A listener of `connect`. */
export const refuseTunnel = ({ url = "" }: IncomingMessage, socket: Duplex): void =>
  void socket.end(methodNotAllowed(url));

/** Nobody knows what the client would rather have; the document is that of all errors. */
const refused = ([status, error]: Refusal): string =>
  written(status, [JSON_TYPE], jsonText({ ok: false, error, status: Number.parseInt(status), title: null }));

const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ (\S+) HTTP\/1\.[01]\r?\n/;

/** Node's parser knows a list of methods and takes any other for garbage. */
function targetOfStrangeMethod({ code, rawPacket }: UnreadableError): string | null {
  if (code !== "HPE_INVALID_METHOD") return null;
  return REQUEST_LINE.exec(rawPacket?.toString("latin1") ?? "")?.[1] ?? null;
}

/** No path takes a method that Node does not know. */
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
