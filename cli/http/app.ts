import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import express, { type Express, type RequestHandler } from "express";
import type { Kernel } from "../../core/index.js";
import { requestFromSocket } from "./incoming.js";
import { send } from "./send.js";

/** The Express application: plugins' middleware, then one handler for everything. */
export async function createApp(kernel: Kernel): Promise<Express> {
  return dressed(kernel, await kernel.hooks.http_wrapper.promise([], kernel, {}));
}

/** Express where a plugin has something to put into it: passing through costs as much as making a small page. */
export async function requestListener(kernel: Kernel): Promise<RequestListener> {
  const wrappers = await kernel.hooks.http_wrapper.promise([], kernel, {});
  if (wrappers.length === 0 && !kernel.hooks.prepare_app.isUsed()) return handler(kernel);
  return (await dressed(kernel, wrappers)) as RequestListener;
}

async function dressed(kernel: Kernel, wrappers: readonly RequestHandler[]): Promise<Express> {
  const app = express();
  app.disable("x-powered-by");
  // Tags are made where the version of the data is known; Express would hash every body.
  app.disable("etag");
  for (const wrapper of wrappers.toReversed()) app.use(wrapper);
  await kernel.hooks.prepare_app.promise(kernel, { app });
  app.use(handler(kernel));
  // Express knows a handler of errors by its four parameters.
  app.use((error: unknown, message: IncomingMessage, response: ServerResponse, _next: unknown) =>
    handler(kernel, error)(message, response),
  );
  return app;
}

/** @param thrown by somebody's middleware: answered as any other error is */
const handler =
  (kernel: Kernel, thrown?: unknown) =>
  (message: IncomingMessage, response: ServerResponse): void => {
    const request = requestFromSocket(kernel, message, response);
    (thrown === undefined ? kernel.answer(request) : kernel.answerError(request, thrown))
      .then((answer) => send(response, answer, request.method === "HEAD"))
      .catch((error: unknown) => {
        // A client that goes away ends its query; nobody is to be told of that.
        if (request.signal.aborted) return;
        kernel.log.error(`${request.method} ${request.path}: the reply could not be sent`, error);
        response.destroy();
      });
  };
