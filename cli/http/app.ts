import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Express, RequestHandler } from "express";
import { closeBody } from "rowhouse/plugin-api/http";
import type { Reply, Request } from "rowhouse/plugin-api";
import type { Kernel } from "../../core/index.js";
import { guardPipes } from "./guard-pipes.js";
import { requestFromSocket } from "./incoming.js";
import { send, type SendOptions } from "./send.js";

/** The Express application: the middleware of plugins, then one handler for all requests. */
export async function createApp(kernel: Kernel): Promise<Express> {
  return withMiddleware(kernel, await kernel.hooks.http_wrapper.promise([], kernel, {}));
}

/**
 * Express is used only if a plugin adds middleware: passing a request through it costs as much as making a small
 * page.
 */
export async function requestListener(kernel: Kernel): Promise<RequestListener> {
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

/**
 * Answers requests by the kernel.
 *
 * @param thrown by middleware of a plugin. The reply is the same as for other errors.
 */
export const handler =
  (kernel: Kernel, thrown?: unknown) =>
  (message: IncomingMessage, response: ServerResponse): void => {
    const exchange = { kernel, request: requestFromSocket(kernel, message, response), response };
    answer(exchange, thrown).catch((error: unknown) => {
      kernel.log.error(
        `${exchange.request.method} ${exchange.request.path}: a plugin failed after the reply`,
        error,
        { request_id: exchange.request.id },
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
      kernel.log.error(`${request.method} ${request.path}: the reply could not be sent`, error, {
        request_id: request.id,
      });
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
    kernel.log.warn(`${request.method} ${request.path}: middleware has answered already`, {
      request_id: request.id,
    });
}
