import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

const STATUSES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

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
  socket.end(
    target === null ? bare(STATUSES[error.code ?? ""] ?? "400 Bad Request") : methodNotAllowed(target),
  );
}

/** Tunnels are not built here. A listener of `connect`. */
export const refuseTunnel = ({ url = "" }: IncomingMessage, socket: Duplex): void =>
  void socket.end(methodNotAllowed(url));

const bare = (status: string): string =>
  `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;

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
  return [
    "HTTP/1.1 405 Method Not Allowed",
    "Allow: GET, HEAD, POST, OPTIONS",
    `Content-Type: ${isJson ? "application/json" : "text/plain"}; charset=utf-8`,
    "Connection: close",
    `Content-Length: ${body.length}`,
    "",
    body,
  ].join("\r\n");
}
