import type { IncomingMessage, ServerResponse } from "node:http";
import { RequestTimeout } from "rowhouse/plugin-api/errors";

/** Infinity for no limit. */
export interface BodyLimits {
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
export async function* withBodyTimeout(
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
    }
  } finally {
    // The iterator has a listener, so no other reader receives bytes. After a timeout, its `return` would wait too.
    if (isYielding) await pieces.return?.();
  }
}

// The maximum of timers in Node.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

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
export function closeIfUnreadBodyIsSlow(
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
    const timer = setInterval(() => {
      if (message.complete) clearInterval(timer);
      else if (socket.bytesRead - seenBytes < intervalMs) socket.destroy();
      seenBytes = socket.bytesRead;
    }, intervalMs);
    socket.once("close", () => clearInterval(timer));
  });
}
