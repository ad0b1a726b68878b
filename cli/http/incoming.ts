import { setImmediate as nextTurn } from "node:timers/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { RequestTimeout } from "rowhouse/plugin-api/errors";
import { makeRequest } from "rowhouse/plugin-api/http";
import { LONGEST_TIMER_MS } from "rowhouse/plugin-api/kernel";
import type { Request, Rowhouse } from "rowhouse/plugin-api";

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
/** Node returns what came in one turn of the event loop as one piece, but only if it is read after this turn. */
const SMALL_PIECE_BYTES = 4_096;

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
  // Without a socket it was behind another one when the connection ended. With one, the server may have cut the connection.
  if (response.closed || (response.destroyed && response.socket === null)) leave();
  else response.once("close", leave);
  return gone;
}

/** Infinity for no limit. */
interface BodyLimits {
  /** Maximum wait for the next piece. */
  readonly idleMs: number;
  /** Maximum wait for the whole body, plus one millisecond per byte. */
  readonly totalMs: number;
}

/**
 * The pieces of a body. Only the time in which the server waits for the client counts: a body that is not read
 * because a write must wait is not slow.
 *
 * @throws RequestTimeout
 */
async function* withBodyTimeout(
  pieces: AsyncIterator<Uint8Array>,
  { idleMs, totalMs }: BodyLimits,
): AsyncGenerator<Uint8Array> {
  let waitedMs = 0;
  let bytes = 0;
  let isYielding = false;
  try {
    for (;;) {
      const leftMs = totalMs + bytes - waitedMs;
      const beganMs = performance.now();
      const problem =
        idleMs <= leftMs
          ? `no byte within ${idleMs} ms`
          : `more than ${totalMs} ms, and a second for every 1,000 bytes`;
      const step = await within(Math.min(idleMs, leftMs), pieces.next(), problem);
      if (step.done === true) return;
      waitedMs += performance.now() - beganMs;
      bytes += step.value.length;
      isYielding = true;
      yield step.value;
      isYielding = false;
      // Two million chunks of one byte would take gigabytes of memory and block the event loop for many seconds.
      const isFirst = bytes === step.value.length;
      if (!isFirst && step.value.length < SMALL_PIECE_BYTES) await nextTurn();
    }
  } finally {
    // The iterator has a listener, so no other reader receives bytes. After a timeout, its `return` would wait too.
    if (isYielding) await pieces.return?.();
  }
}

async function within<Result>(limitMs: number, result: Promise<Result>, problem: string): Promise<Result> {
  if (limitMs === Infinity) return result;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = (): void => reject(new RequestTimeout(`The request body came too slowly: ${problem}`));
    timer = setTimeout(error, Math.min(limitMs, LONGEST_TIMER_MS));
  });
  return Promise.race([result, late]).finally(() => clearTimeout(timer));
}

/**
 * Ends the connection of a client that slowly sends a body that no plugin reads. Its request has been answered, and
 * Node waits for the end of the body before it reads the next request.
 */
function closeIfUnreadBodyIsSlow(
  message: IncomingMessage,
  response: ServerResponse,
  { idleMs, totalMs }: BodyLimits,
): void {
  const intervalMs = Math.min(idleMs, totalMs, LONGEST_TIMER_MS);
  if (intervalMs === LONGEST_TIMER_MS) return;
  response.once("finish", () => {
    if (message.complete) return;
    const { socket } = message;
    let seenBytes = socket.bytesRead;
    // The connection may serve many more requests, so that a listener of it would stay for long. The message does not tell
    // of a connection that ends before the body.
    const timer = setInterval(() => {
      if (message.complete || socket.destroyed) clearInterval(timer);
      else if (socket.bytesRead - seenBytes < intervalMs) socket.destroy();
      seenBytes = socket.bytesRead;
    }, intervalMs).unref();
  });
}

/** The characters of a name or an address, with a port (RFC 3986). */
const HOST = /^[\w.~!$&'()*+,;=:%[\]-]*$/;

/**
 * Why the `Host` of a request is refused, as RFC 9112 requires; null for a valid one. Links of replies contain it, and a
 * proxy may have chosen the server by another one of two.
 */
export function hostProblem({ headers: { host }, httpVersion, rawHeaders }: IncomingMessage): string | null {
  if (host === undefined) return httpVersion === "1.0" ? null : "The header Host is missing";
  if (!HOST.test(host)) return "The header Host is not a name or an address";
  return countHosts(rawHeaders) > 1 ? "The header Host is repeated" : null;
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === "host") count += 1;
  }
  return count;
}
