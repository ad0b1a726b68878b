import { setImmediate as nextTurn } from "node:timers/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { makeRequest } from "rowhouse/plugin-api/http";
import type { Request, Rowhouse } from "rowhouse/plugin-api";
import { closeIfUnreadBodyIsSlow, withBodyTimeout, type BodyLimits } from "./body-timeout.js";

/** The client of a request. */
export interface Client {
  readonly encrypted: boolean;
  readonly remoteAddress: string | null;
}

/** A request that another worker has passed on has its client; others come from the other end of their socket. */
export interface MessageWithClient extends IncomingMessage {
  originalClient?: Client;
}

/** The client of a request. */
export const clientOf = ({ originalClient, socket }: MessageWithClient): Client =>
  originalClient ?? {
    encrypted: "encrypted" in socket && socket.encrypted === true,
    remoteAddress: socket.remoteAddress ?? null,
  };

/** A request on a socket, in the form for plugins. */
export function requestFromSocket(
  rowhouse: Rowhouse,
  message: IncomingMessage,
  response: ServerResponse,
): Request {
  if (hasBody(message)) closeIfUnreadBodyIsSlow(message, response, limitsOf(rowhouse));
  let gone: AbortController | undefined;
  // Created on first use: most requests are answered before a plugin needs the signal.
  const signal = (): AbortSignal => (gone ??= abortedWhenGone(response)).signal;
  return makeRequest(rowhouse, {
    method: message.method ?? "GET",
    target: message.url ?? "/",
    headers: message.headers as Readonly<Record<string, string | undefined>>,
    ...clientOf(message),
    signal,
    body: new Body(message, rowhouse),
  });
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

const limitsOf = (rowhouse: Rowhouse): BodyLimits => ({
  idleMs: rowhouse.setting("body_idle_limit_ms") || Infinity,
  totalMs: rowhouse.setting("body_time_limit_ms") || Infinity,
});

/** The parts of a message, read on first use. */
class Body implements AsyncIterable<Uint8Array> {
  constructor(
    private readonly message: IncomingMessage,
    private readonly rowhouse: Rowhouse,
  ) {}

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return piecesOf(this.message, limitsOf(this.rowhouse));
  }
}

const SHORT_BYTES = 65_536;

/**
 * The body. If no plugin reads all of it, the rest is discarded: a client that is still sending must be able to read
 * the reply.
 */
async function* piecesOf(message: IncomingMessage, limits: BodyLimits): AsyncGenerator<Uint8Array> {
  try {
    // A short body arrives with the head and is parsed in the same turn of the event loop. Waiting for it costs more.
    if (!message.complete && isShort(message)) await nextTurn();
    if (!message.complete || message.readableDidRead) {
      yield* withBodyTimeout(
        message.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>,
        limits,
      );
      return;
    }
    const whole = message.read() as Buffer | null;
    if (whole !== null) yield whole;
  } finally {
    message.resume();
  }
}

const isShort = ({ headers }: IncomingMessage): boolean => Number(headers["content-length"]) <= SHORT_BYTES;

function abortedWhenGone(response: ServerResponse): AbortController {
  const gone = new AbortController();
  const leave = (): void => {
    if (!response.writableFinished) gone.abort();
  };
  if (response.closed) leave();
  else response.once("close", leave);
  return gone;
}
