import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import express, { type Express, type RequestHandler } from "express";
import { closeBody, type Reply, type Request } from "rowhouse/plugin-api";
import type { Kernel } from "../../core/index.js";
import { requestFromSocket } from "./incoming.js";
import { guardPipes } from "./piped.js";
import { send } from "./send.js";

/** The Express application: plugins' middleware, then one handler for everything. */
export async function createApp(kernel: Kernel): Promise<Express> {
  return withMiddleware(kernel, await kernel.hooks.http_wrapper.promise([], kernel, {}));
}

/** Express where a plugin has something to put into it: passing through costs as much as making a small page. */
export async function requestListener(kernel: Kernel): Promise<RequestListener> {
  const wrappers = await kernel.hooks.http_wrapper.promise([], kernel, {});
  if (wrappers.length === 0 && !kernel.hooks.prepare_app.isUsed()) return handler(kernel);
  return (await withMiddleware(kernel, wrappers)) as RequestListener;
}

async function withMiddleware(kernel: Kernel, wrappers: readonly RequestHandler[]): Promise<Express> {
  const app = express();
  app.disable("x-powered-by");
  // Tags are made where the version of the data is known; Express would hash every body.
  app.disable("etag");
  app.use((_message: IncomingMessage, response: ServerResponse, next: () => void) => {
    guardPipes(response, kernel.log);
    next();
  });
  for (const wrapper of wrappers.toReversed()) app.use(wrapper);
  await kernel.hooks.prepare_app.promise(kernel, { app });
  app.use(handler(kernel));
  // Express knows a handler of errors by its four parameters.
  app.use((error: unknown, message: IncomingMessage, response: ServerResponse, _next: unknown) =>
    handler(kernel, error)(message, response),
  );
  return app;
}

/** @param thrown by middleware of a plugin: answered as any other error is */
const handler =
  (kernel: Kernel, thrown?: unknown) =>
  (message: IncomingMessage, response: ServerResponse): void => {
    const request = requestFromSocket(kernel, message, response);
    const sending = (answer: Reply): Promise<void> | void =>
      sendUnlessAnswered(kernel, request, response, answer);
    (thrown === undefined ? kernel.answer(request) : kernel.answerError(request, thrown))
      .then(sending)
      .catch(async (error: unknown) => {
        // Nothing is written before the first piece of a body is there: its error can still be answered.
        if (response.headersSent || response.destroyed) throw error;
        await sending(await kernel.answerError(request, error));
      })
      .catch((error: unknown) => {
        // A client that leaves ends its query; that is no error of the server.
        if (request.signal.aborted) return;
        kernel.log.error(`${request.method} ${request.path}: the reply could not be sent`, error);
        response.destroy();
      });
  };

/** Middleware may have answered and called `next` all the same; then its reply is the one that counts. */
function sendUnlessAnswered(
  kernel: Kernel,
  request: Request,
  response: ServerResponse,
  answer: Reply,
): Promise<void> | void {
  if (!response.headersSent && !response.destroyed) return send(response, answer, request.method === "HEAD");
  closeBody(answer.body);
  if (!request.signal.aborted)
    kernel.log.warn(`${request.method} ${request.path}: middleware has answered already`);
}
