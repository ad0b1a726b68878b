import type { HookRun, HookTap } from "./plugin.js";
import { isReply, type Reply, type ReplyBody, type Request } from "./request.js";

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

/** The sources that were opened for one request, from the view's to those that later steps put in their place. */
class OpenBodies {
  readonly #open = new Set<AsyncIterable<unknown>>();
  #closed = false;

  add(body: AsyncIterable<unknown>): void {
    if (this.#open.has(body)) return;
    ignoreErrors(body);
    if (this.#closed) closeBody(body);
    else this.#open.add(body);
  }

  close(): void {
    this.#closed = true;
    for (const body of this.#open) closeBody(body);
    this.#open.clear();
  }
}

const openBodies = new WeakMap<Request, OpenBodies>();

/**
 * Closes a source at the end of the request: when its reply was sent, replaced, or could not be sent. The kernel
 * does so for every body that a view or a hook answers with, and for `stream` of a page.
 */
export function trackBody(request: Request, body: ReplyBody | AsyncIterable<unknown>): void {
  if (typeof body === "string" || body instanceof Uint8Array) return;
  const known = openBodies.get(request) ?? new OpenBodies();
  openBodies.set(request, known);
  known.add(body);
}

/** Tracks the bodies that `finish_reply` puts in the place of others. An `wrapHook`. */
export function trackFinishedBodies(run: HookRun, { hook }: Pick<HookTap, "hook">): HookRun {
  if (hook !== "finish_reply") return run;
  return (rowhouse, args) => {
    const { request } = args as { readonly request: Request };
    const track = (answer: unknown): unknown => {
      if (isReply(answer)) trackBody(request, answer.body);
      return answer;
    };
    const answer = run(rowhouse, args);
    return answer instanceof Promise ? answer.then(track) : track(answer);
  };
}

/** The reply with a body that closes, at its end, everything that was opened for the request. */
export function closingBodies(request: Request, reply: Reply): Reply {
  trackBody(request, reply.body);
  const bodies = openBodies.get(request);
  if (bodies === undefined) return reply;
  if (isBodyStream(reply.body)) return { ...reply, body: new ClosingBody(reply.body, bodies) };
  bodies.close();
  return reply;
}

class ClosingBody implements AsyncIterable<string | Uint8Array> {
  constructor(
    private readonly pieces: BodyStream,
    private readonly bodies: OpenBodies,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<string | Uint8Array> {
    try {
      yield* this.pieces;
    } finally {
      this.bodies.close();
    }
  }

  destroy(): void {
    this.bodies.close();
  }
}
