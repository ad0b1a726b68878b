import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Kernel } from "../../core/index.js";
import { handler, requestListener } from "./app.js";
import { restoreClient } from "./client.js";
import type { Forwarder } from "./forward.js";
import { hostProblem } from "./incoming.js";
import { replyToMalformed } from "./malformed-request.js";
import { send } from "./send.js";

/** Which requests another process answers, and how they reach it. */
export interface Forwarding {
  isForwarded(message: IncomingMessage, kernel: Kernel): boolean;
  readonly forwarder: Forwarder;
}

/** What decides which requests a server hands to its kernel. */
export interface AnsweringOptions {
  /** The requests that another process answers. */
  readonly forwarding?: Forwarding;
  /** True for a socket on which only other processes of this server send, with the clients in their headers. */
  readonly fromWorkers?: boolean;
}

/** What answers the requests of a server: a kernel, and after a reload another one. */
export class Answering {
  #current: CountedListener;

  private constructor(
    first: CountedListener,
    private readonly options: AnsweringOptions,
  ) {
    this.#current = first;
  }

  /** Fires `http_wrapper` and `prepare_app`. @throws whatever a plugin throws */
  static async start(kernel: Kernel, options: AnsweringOptions): Promise<Answering> {
    return new Answering(await CountedListener.start(kernel, options), options);
  }

  get kernel(): Kernel {
    return this.#current.kernel;
  }

  readonly listener: RequestListener = (message, response) => {
    if (response.socket === null) closeWithConnection(response, message.socket);
    const problem = hostProblem(message);
    if (problem === null) return this.#current.answer(message, response);
    replyToMalformed(this.kernel, 400, problem)
      .then((reply) => send(response, reply, { headOnly: message.method === "HEAD", sent: { bytes: 0 } }))
      .catch(() => response.destroy());
  };

  /** As `Server.prepareKernel`. */
  async prepare(kernel: Kernel): Promise<() => Promise<void>> {
    const next = await CountedListener.start(kernel, this.options);
    return () => {
      const before = this.#current;
      this.#current = next;
      return before.ended();
    };
  }
}

/**
 * For a request that was sent before the reply to the one before it: only the response whose turn it is has a socket. If
 * the connection ends, Node closes that one, and those behind it would be made, and wait for their turn, forever.
 */
function closeWithConnection(response: ServerResponse, socket: Socket): void {
  const close = (): void => {
    if (response.socket !== null) return;
    response.destroy();
    response.emit("close");
  };
  // Clients may send any number of requests at once.
  socket.setMaxListeners(0).once("close", close);
  response.once("close", () => socket.off("close", close));
}

/** A kernel, and the number of requests that it is answering. */
class CountedListener {
  #openRequests = 0;
  #notify: () => void = () => undefined;

  private constructor(
    readonly kernel: Kernel,
    private readonly listener: RequestListener,
  ) {}

  static async start(kernel: Kernel, options: AnsweringOptions): Promise<CountedListener> {
    return new CountedListener(kernel, await listenerFor(kernel, options));
  }

  answer(message: IncomingMessage, response: ServerResponse): void {
    this.#openRequests += 1;
    response.once("close", () => {
      this.#openRequests -= 1;
      this.#notify();
    });
    this.listener(message, response);
  }

  /** Settles after the last request, for a kernel that gets no further ones. */
  async ended(): Promise<void> {
    while (this.#openRequests > 0) await new Promise<void>((resolve) => (this.#notify = resolve));
    // Plugins are called once more after the reply.
    await nextTurn();
  }
}

async function listenerFor(
  kernel: Kernel,
  { forwarding, fromWorkers }: AnsweringOptions,
): Promise<RequestListener> {
  const own = await requestListener(kernel);
  if (forwarding !== undefined) return forwardingListener(kernel, forwarding, own);
  if (fromWorkers !== true) return own;
  return (message, response) => {
    restoreClient(message);
    own(message, response);
  };
}

/**
 * Answers requests in another process, if `isForwarded` says so. Middleware of plugins runs there.
 *
 * @param otherwise answers all other requests
 */
const forwardingListener =
  (kernel: Kernel, { isForwarded, forwarder }: Forwarding, otherwise: RequestListener): RequestListener =>
  (message, response) => {
    if (!isForwarded(message, kernel)) return otherwise(message, response);
    forwarder.forward(message, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else handler(kernel, error)(message, response);
    });
  };
