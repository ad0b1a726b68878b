import { Agent, request, type ClientRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseUnavailable, UnknownOutcome } from "rowhouse/plugin-api/errors";
import { clientHeaders, isClientHeader } from "./client.js";

/** Headers of one connection. The connection between workers has its own. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
]);

/** A worker that ends is replaced within this time, unless starts take long. */
const LONGEST_WAIT_MS = 10_000;
const RETRY_EVERY_MS = 20;

/** Nothing listens on the socket: the worker behind it has ended, and the next one does not listen yet. */
const NOT_THERE: ReadonlySet<string | undefined> = new Set(["ECONNREFUSED", "ENOENT"]);

/**
 * Sends requests to the worker that listens on a Unix socket, and its replies to the clients.
 *
 * A request is repeated only if nothing was sent. If the other worker ends before it replies, the promise is rejected:
 * the change may have been made.
 */
export class Forwarder {
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: 256 });

  constructor(readonly socketPath: string) {}

  /** @throws DatabaseUnavailable if nothing was sent @throws UnknownOutcome if there is no reply to what was sent */
  async forward(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const until = performance.now() + LONGEST_WAIT_MS;
    for (;;) {
      try {
        return await this.#attempt(message, response);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (response.destroyed) return;
        if (!NOT_THERE.has(code) || performance.now() > until) throw unavailable(error, code);
        await sleep(RETRY_EVERY_MS);
      }
    }
  }

  #attempt(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const upstream = request({
      socketPath: this.socketPath,
      agent: this.#agent,
      method: message.method,
      path: message.url,
      headers: [...passedOn(message), ...clientHeaders(message)],
      setHost: false,
    });
    const leave = (): void => void upstream.destroy();
    response.once("close", leave);
    return new Promise<void>((resolve, reject) => {
      upstream.once("error", reject);
      upstream.once("response", (reply) => {
        // A body that is refused is not read to its end, which breaks its pipe.
        upstream.off("error", reject).on("error", () => undefined);
        passReply(reply, response).then(resolve, reject);
      });
      sendBody(message, upstream);
    }).finally(() => response.off("close", leave));
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Nothing of the body is taken before the connection exists, so that a failed attempt can be repeated. */
function sendBody(message: IncomingMessage, upstream: ClientRequest): void {
  const begin = (): void => void message.pipe(upstream);
  upstream.once("socket", (socket) => {
    if (socket.connecting) socket.once("connect", begin);
    else begin();
  });
}

function passReply(reply: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = ofMessage(reply.rawHeaders);
  // The worker will not read the rest of the body, so the client must not send it.
  if (reply.headers.connection === "close") headers.push("Connection", "close");
  response.writeHead(reply.statusCode ?? 502, reply.statusMessage, headers);
  return new Promise((resolve) => {
    reply.once("error", () => response.destroy());
    response.once("close", resolve);
    reply.pipe(response);
  });
}

/** The headers of a request for another worker, as names and values in turn. */
function passedOn({ rawHeaders, headers }: IncomingMessage): string[] {
  const hasLength = "content-length" in headers || "transfer-encoding" in headers;
  return [...ofMessage(rawHeaders), ...(hasLength ? [] : ["Content-Length", "0"])];
}

function ofMessage(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2);
    if (!OF_CONNECTION.has(name.toLowerCase()) && !isClientHeader(name)) kept.push(name, value);
  }
  return kept;
}

const unavailable = (cause: unknown, code: string | undefined): Error =>
  NOT_THERE.has(code)
    ? new DatabaseUnavailable("The process that writes is not running. Nothing was changed.", { cause })
    : new UnknownOutcome(
        "The process that writes ended before it answered. Check whether the change was made, then repeat it.",
        { cause },
      );
