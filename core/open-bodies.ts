import { closeBody, isBodyStream, isReply, type BodyStream, type ReplyBody } from "rowhouse/plugin-api/http";
import type { Reply, Request } from "rowhouse/plugin-api";
import type { HookRun, HookTap } from "rowhouse/plugin-api/kernel";

type Source = AsyncIterable<unknown> & { on?(event: "error", listener: () => void): unknown };

/** The streams that were opened for one request: by the view, and by hooks that replaced the body of the reply. */
class OpenBodies {
  readonly #open = new Set<Source>();
  #closed = false;

  add(body: Source): void {
    if (this.#open.has(body)) return;
    // Without a listener, an error of a Node stream that is not being read ends the process.
    body.on?.("error", () => undefined);
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

/** Closes a stream at the end of the request: when its reply was sent, was replaced, or could not be sent. */
export function trackBody(request: Request, body: ReplyBody | AsyncIterable<unknown>): void {
  if (typeof body === "string" || body instanceof Uint8Array) return;
  const bodies = openBodies.get(request) ?? new OpenBodies();
  openBodies.set(request, bodies);
  bodies.add(body);
}

/** A hook wrapper that tracks the bodies of replies that other replies may replace. */
export function trackFinishedBodies(run: HookRun, { hook }: Pick<HookTap, "hook">): HookRun {
  if (!["finish_reply", "handle_exception"].includes(hook)) return run;
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

/** The reply with a body that closes, at its end, every stream that was opened for the request. */
export function closingBodies(request: Request, reply: Reply): Reply {
  trackBody(request, reply.body);
  const bodies = openBodies.get(request);
  if (bodies === undefined) return reply;
  if (isBodyStream(reply.body)) return { ...reply, body: closingBody(reply.body, bodies) };
  bodies.close();
  return reply;
}

/** A stream that closes `bodies` when it has been read, or when `destroy` ends it earlier. */
function closingBody(pieces: BodyStream, bodies: OpenBodies): BodyStream & { destroy(): void } {
  async function* sent(): AsyncGenerator<string | Uint8Array> {
    try {
      yield* pieces;
    } finally {
      bodies.close();
    }
  }
  return { [Symbol.asyncIterator]: sent, destroy: () => bodies.close() };
}
