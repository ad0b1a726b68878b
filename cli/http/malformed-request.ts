import { STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { reply, RowhouseError, type Reply } from "rowhouse/plugin-api";
import { MethodNotAllowed } from "rowhouse/plugin-api/errors";
import { isBodyStream, requestInside } from "rowhouse/plugin-api/http";
import type { Kernel } from "../../core/index.js";

/** Data that is no valid request. */
class MalformedRequest extends RowhouseError {
  readonly code = "MALFORMED_REQUEST";
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const PROBLEMS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "The address and the headers are too long"],
  HPE_INVALID_URL: [400, "The address has characters that must be percent-encoded, such as %C3%A9 for é"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "The chunk extensions are too long"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request took too long to arrive"],
};

interface UnreadableError extends NodeJS.ErrnoException {
  /** The received bytes from the first unread one. */
  readonly rawPacket?: Buffer;
}

type WithKernel = () => Kernel;

/**
 * Replies to data that is no valid request, and closes the connection, because the start of the next request is
 * unknown. A listener of `clientError`.
 */
export function answerMalformed(kernel: WithKernel): (error: UnreadableError, socket: Duplex) => void {
  // The parser reports the rest of the data as another error.
  const answered = new WeakSet<Duplex>();
  return (error, socket) => {
    const response = (socket as Duplex & { _httpMessage?: ServerResponse | null })["_httpMessage"];
    // A second reply would be written into the middle of the first.
    if (!socket.writable || response?.headersSent === true || error.code === "ECONNRESET") {
      socket.destroy();
      return;
    }
    if (answered.has(socket)) return;
    answered.add(socket);
    void refuse(kernel(), socket, error);
  };
}

async function refuse(kernel: Kernel, socket: Duplex, error: UnreadableError): Promise<void> {
  const strange = headOfStrangeMethod(error);
  if (strange !== null) return refuseMethod(kernel, socket, strange);
  const [status, message] = PROBLEMS[error.code ?? ""] ?? [400, "This is no HTTP request"];
  const answer = await replyToMalformed(kernel, status, message);
  write(socket, answer, { headOnly: error.rawPacket?.toString("latin1", 0, 5) === "HEAD " });
}

/** Tunnels are not supported. A listener of `connect`. */
export const rejectTunnel =
  (kernel: WithKernel) =>
  ({ url = "" }: IncomingMessage, socket: Duplex): void =>
    void refuseMethod(kernel(), socket, { target: url, headers: {} });

/** The reply to a request that can't be read. The requested format is unknown, so the document is JSON. */
export async function replyToMalformed(kernel: Kernel, status: number, message: string): Promise<Reply> {
  const request = requestInside(kernel, "/", { headers: { accept: "application/json" } });
  const made = await kernel.answerError(request, new MalformedRequest(status, message));
  return reply.withHeaders(made, { connection: "close" });
}

const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ (\S+) HTTP\/1\.[01]\r?\n/;

/** The header that decides whether the error is a JSON document. */
const CONTENT_TYPE = /^content-type:(.*)$/im;

interface Head {
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Node's parser rejects methods that are not on its list. */
function headOfStrangeMethod({ code, rawPacket }: UnreadableError): Head | null {
  if (code !== "HPE_INVALID_METHOD") return null;
  const [head = ""] = (rawPacket?.toString("latin1") ?? "").split("\r\n\r\n");
  const target = REQUEST_LINE.exec(`${head}\r\n`)?.[1];
  if (target === undefined) return null;
  const [, type = ""] = CONTENT_TYPE.exec(head) ?? [];
  return { target, headers: { "content-type": type.trim() } };
}

/** No path accepts a method that Node does not know. */
async function refuseMethod(kernel: Kernel, socket: Duplex, { target, headers }: Head): Promise<void> {
  const error = new MethodNotAllowed(["GET", "HEAD", "POST", "OPTIONS"]);
  const answer = await kernel.answerError(requestInside(kernel, target, { headers }), error);
  write(socket, answer, { headOnly: false });
}

function write(
  socket: Duplex,
  { status, headers, body }: Reply,
  { headOnly }: { readonly headOnly: boolean },
): void {
  const content = isBodyStream(body) ? "" : body;
  const all = { ...headers, connection: "close", "content-length": String(Buffer.byteLength(content)) };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}`),
  );
  socket.write([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", ""].join("\r\n"));
  socket.end(headOnly ? "" : content);
}
