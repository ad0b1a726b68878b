import type { ReplyBody } from "./request.js";

/** A body that is sent in pieces (a stream). */
export type BodyStream = Exclude<ReplyBody, string | Uint8Array>;

/**
 * True for a stream, false for text and bytes.
 *
 * @example
 * isBodyStream("text"); // false
 */
export const isBodyStream = (body: ReplyBody): body is BodyStream =>
  typeof body === "object" && !(body instanceof Uint8Array);

/**
 * A body whose source is opened when its first piece is read. If the body is never sent, nothing is opened.
 *
 * @example
 * reply.withHeaders({ ...reply.text(""), body: lazyBody(() => createReadStream(file)) }, { "cache-control": "no-store" }).status; // 200
 */
export const lazyBody = (open: () => BodyStream | Promise<BodyStream>): BodyStream => ({
  async *[Symbol.asyncIterator]() {
    yield* await open();
  },
});

/** The used part of Node's streams. */
interface NodeStream {
  destroy(): unknown;
  on?(event: "error", listener: () => void): unknown;
}

const isNodeStream = (source: object): source is NodeStream =>
  "destroy" in source && typeof source.destroy === "function";

const ignore = (): void => undefined;

/**
 * Closes the source of a body, also if reading has not begun. Never throws, and does not wait for the end.
 *
 * @example
 * const body = lazyBody(() => createReadStream(file));
 * closeBody(body);
 * @param body a body or any other asynchronous source; text and bytes are ignored
 */
export function closeBody(body: ReplyBody | AsyncIterable<unknown>): void {
  if (typeof body === "string" || body instanceof Uint8Array) return;
  try {
    if (isNodeStream(body)) {
      ignoreErrors(body);
      body.destroy();
      return;
    }
    // Generators return the iterator that is being read, so this call ends it.
    body[Symbol.asyncIterator]().return?.().then(ignore, ignore);
  } catch {
    // A source that fails to close cannot be reported: the reply has been sent.
  }
}

/** Without a listener, an error of a Node stream that is not being read ends the process. */
function ignoreErrors(source: object): void {
  if (isNodeStream(source)) source.on?.("error", ignore);
}
