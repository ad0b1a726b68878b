import type { ReplyBody } from "./request.js";

/** A body that is sent in pieces. */
export type BodyStream = Exclude<ReplyBody, string | Uint8Array>;

/** Tells a body that is sent in pieces from text and bytes. */
export const isBodyStream = (body: ReplyBody): body is BodyStream =>
  typeof body === "object" && !(body instanceof Uint8Array);

/** A body whose source is opened when its first piece is read. A body that is not sent then has nothing to close. */
export const lazyBody = (open: () => BodyStream | Promise<BodyStream>): BodyStream => ({
  async *[Symbol.asyncIterator]() {
    yield* await open();
  },
});

/** The parts of Node's streams that matter here; this module is also loaded where there is no Node. */
interface NodeStream {
  destroy(): unknown;
  on?(event: "error", listener: () => void): unknown;
}

const isNodeStream = (source: object): source is NodeStream =>
  "destroy" in source && typeof source.destroy === "function";

const ignore = (): void => undefined;

/**
 * Closes what a body is read from, whether reading has begun or not. Never throws, and does not wait.
 *
 * @param body also any other asynchronous source; text and bytes are left alone
 */
export function closeBody(body: ReplyBody | AsyncIterable<unknown>): void {
  if (typeof body === "string" || body instanceof Uint8Array) return;
  try {
    if (isNodeStream(body)) {
      ignoreErrors(body);
      body.destroy();
      return;
    }
    // An iterator that was started is the same object, and this call ends it.
    body[Symbol.asyncIterator]().return?.().then(ignore, ignore);
  } catch {
    // A source that refuses to be closed is somebody else's; there is no reply left that could say so.
  }
}

/** Without a listener, an error of a Node stream that is not being read ends the process. */
function ignoreErrors(source: object): void {
  if (isNodeStream(source)) source.on?.("error", ignore);
}
