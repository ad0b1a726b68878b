import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Express, RequestHandler } from "express";
import { setImmediate as nextTurn } from "node:timers/promises";
import { closeBody } from "rowhouse/plugin-api/http";
import type { Reply, Request } from "rowhouse/plugin-api";
import type { Kernel } from "../../core/index.js";
import { restoreClient } from "./client.js";
import type { Forwarder } from "./forward.js";
import { guardPipes } from "./guard-pipes.js";
import { hostProblem, requestFromSocket } from "./incoming.js";
import { replyToMalformed } from "./malformed-request.js";
import { send, type SendOptions } from "./send.js";

/** The Express application: the middleware of plugins, then one handler for all requests. */
export async function createApp(kernel: Kernel): Promise<Express> {
  return withMiddleware(kernel, await kernel.hooks.http_wrapper.promise([], kernel, {}));
}

/**
 * Answers requests in another process, if `isMeant` says so. Middleware of plugins runs there.
 *
 * @param otherwise answers all other requests
 */
const diverting =
  (kernel: Kernel, { isMeant, forwarder }: Diversion, otherwise: RequestListener): RequestListener =>
  (message, response) => {
    if (!isMeant(message, kernel)) return otherwise(message, response);
    forwarder.forward(message, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else handler(kernel, error)(message, response);
    });
  };

/** Which requests another process answers, and the way to it. */
export interface Diversion {
  isMeant(message: IncomingMessage, kernel: Kernel): boolean;
  readonly forwarder: Forwarder;
}

/**
 * Express is used only if a plugin adds middleware: passing a request through it costs as much as making a small
 * page.
 */
async function requestListener(kernel: Kernel): Promise<RequestListener> {
  const wrappers = await kernel.hooks.http_wrapper.promise([], kernel, {});
  if (wrappers.length === 0 && !kernel.hooks.prepare_app.isUsed()) return handler(kernel);
  return (await withMiddleware(kernel, wrappers)) as RequestListener;
}

async function withMiddleware(kernel: Kernel, wrappers: readonly RequestHandler[]): Promise<Express> {
  // Half of the code of the bundle, which most servers never use.
  const { default: express } = await import("express");
  const app = express();
  app.disable("x-powered-by");
  // Plugins create entity tags from the version of the data. Express would hash every body.
  app.disable("etag");
  app.use((_message: IncomingMessage, response: ServerResponse, next: () => void) => {
    guardPipes(response, kernel.log);
    next();
  });
  for (const wrapper of wrappers.toReversed()) app.use(wrapper);
  await kernel.hooks.prepare_app.promise(kernel, { app });
  app.use(handler(kernel));
  // Express recognises error handlers by their four parameters.
  app.use((error: unknown, message: IncomingMessage, response: ServerResponse, _next: unknown) =>
    handler(kernel, error)(message, response),
  );
  return app;
}

/** @param thrown by middleware of a plugin. The reply is the same as for other errors. */
const handler =
  (kernel: Kernel, thrown?: unknown) =>
  (message: IncomingMessage, response: ServerResponse): void => {
    const exchange = { kernel, request: requestFromSocket(kernel, message, response), response };
    answer(exchange, thrown).catch((error: unknown) => {
      kernel.log.error(
        `${exchange.request.method} ${exchange.request.path}: a plugin failed after the reply`,
        error,
      );
      response.destroy();
    });
  };

interface Exchange {
  readonly kernel: Kernel;
  readonly request: Request;
  readonly response: ServerResponse;
}

async function answer(exchange: Exchange, thrown: unknown): Promise<void> {
  const { kernel, request, response } = exchange;
  const sent = { bytes: 0 };
  let reply = await (thrown === undefined ? kernel.answer(request) : kernel.answerError(request, thrown));
  // The middleware that failed does not send the rest.
  if (thrown !== undefined && response.headersSent && !response.writableEnded) response.destroy();
  try {
    try {
      await sendUnlessAnswered(exchange, reply, sent);
    } catch (error) {
      // Nothing is written before the first piece of a body exists, so that its error can still become a reply.
      if (response.headersSent || response.destroyed) throw error;
      reply = await kernel.answerError(request, error);
      await sendUnlessAnswered(exchange, reply, sent);
    }
  } catch (error) {
    // If a client disconnects, its query ends. This is no error of the server.
    if (!request.signal.aborted)
      kernel.log.error(`${request.method} ${request.path}: the reply could not be sent`, error);
    response.destroy();
  }
  if (!kernel.hooks.reply_sent.isUsed()) return;
  const isComplete = response.writableEnded && !response.destroyed;
  await kernel.hooks.reply_sent.promise(kernel, { request, reply, bytes: sent.bytes, isComplete });
}

/** Middleware may reply and still call `next`. Then its reply counts. */
function sendUnlessAnswered(
  { kernel, request, response }: Exchange,
  reply: Reply,
  sent: SendOptions["sent"],
): Promise<void> | void {
  if (!response.headersSent && !response.destroyed)
    return send(response, reply, { headOnly: request.method === "HEAD", sent });
  closeBody(reply.body);
  if (!request.signal.aborted)
    kernel.log.warn(`${request.method} ${request.path}: middleware has answered already`);
}

/** What decides which requests a server hands to its kernel. */
export interface AnsweringOptions {
  /** The requests that another process answers. */
  readonly diversion?: Diversion;
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
  { diversion, fromWorkers }: AnsweringOptions,
): Promise<RequestListener> {
  const own = await requestListener(kernel);
  if (diversion !== undefined) return diverting(kernel, diversion, own);
  if (fromWorkers !== true) return own;
  return (message, response) => {
    restoreClient(message);
    own(message, response);
  };
}
