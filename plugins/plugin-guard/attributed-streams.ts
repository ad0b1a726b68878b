import type { Page, Reply } from "rowhouse/plugin-api";
import { closeBody, isBodyStream } from "rowhouse/plugin-api/http";
import { namedFailure, type Origin } from "./failure.js";

type NodeStream = AsyncIterable<unknown> & { on?(event: "error", listener: () => void): unknown };

/** The reply with a body whose errors name the plugin. */
export const attributedReply = <R extends Reply>(made: R, origin: Origin): R =>
  isBodyStream(made.body) ? { ...made, body: attributed(made.body, origin, sendablePiece) } : made;

/** The page with a stream of rows whose errors name the plugin. */
export const attributedPage = (page: Page, origin: Origin): Page =>
  page.stream === undefined
    ? page
    : {
        ...page,
        stream: { ...page.stream, batches: attributed(page.stream.batches, origin, (rows) => rows) },
      };

/** @throws TypeError for a piece that is neither text nor bytes */
function sendablePiece<T>(piece: T): T {
  if (typeof piece === "string" || piece instanceof Uint8Array) return piece;
  throw new TypeError(`a piece of its body is ${String(piece)}; it should be text or bytes`);
}

/** @param checked returns each piece, or throws */
function attributed<T>(
  source: AsyncIterable<T>,
  origin: Origin,
  checked: (piece: T) => T,
): AsyncIterable<T> & { destroy(): void } {
  async function* pieces(): AsyncGenerator<T> {
    try {
      for await (const piece of source) yield checked(piece);
    } catch (error) {
      throw namedFailure(origin, error);
    }
  }
  // Without a listener, an error of a Node stream that is not being read ends the process.
  (source as NodeStream).on?.("error", () => undefined);
  return { [Symbol.asyncIterator]: pieces, destroy: () => closeBody(source) };
}
