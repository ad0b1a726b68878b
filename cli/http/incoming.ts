import type { IncomingMessage, ServerResponse } from "node:http";
import { makeRequest } from "rowhouse/plugin-api";
import type { Request, Rowhouse } from "rowhouse/plugin-api";

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
    body: { [Symbol.asyncIterator]: () => piecesOf(message) },
  });
}

/** The body. Where nobody reads it to its end, the rest is passed over: who is cut off while sending hears no refusal. */
async function* piecesOf(message: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    // A short one has come with the head, and to wait for it as for a long one costs more than to read it.
    if (message.complete && !message.readableDidRead) yield* arrived(message);
    else yield* message.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  } finally {
    message.resume();
  }
}

function* arrived(message: IncomingMessage): Iterable<Uint8Array> {
  const whole = message.read() as Buffer | null;
  if (whole !== null) yield whole;
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
