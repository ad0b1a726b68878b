import type { ServerResponse } from "node:http";
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
  socket.end(
    isStrangeMethod(error) ? METHOD_NOT_ALLOWED : bare(STATUSES[error.code ?? ""] ?? "400 Bad Request"),
  );
}

const bare = (status: string): string =>
  `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;

const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ \S+ HTTP\/1\.[01]\r?\n/;

/** Node's parser knows a list of methods and takes any other for garbage. */
function isStrangeMethod(error: UnreadableError): boolean {
  const { code, rawPacket } = error;
  return code === "HPE_INVALID_METHOD" && REQUEST_LINE.test(rawPacket?.toString("latin1") ?? "");
}

/** No path takes a method that Node does not know. */
const METHOD_NOT_ALLOWED = [
  "HTTP/1.1 405 Method Not Allowed",
  "Allow: GET, HEAD, POST, OPTIONS",
  "Content-Type: text/plain; charset=utf-8",
  "Connection: close",
  "Content-Length: 18",
  "",
  "Method not allowed",
].join("\r\n");
