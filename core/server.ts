import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server as HttpServer,
  type ServerResponse,
} from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import express, { type Express, type RequestHandler } from "express";
import type { Reply, ReplyBody } from "rowhouse/plugin-api";
import { requestFromSocket } from "./incoming.js";
import type { Kernel } from "./kernel.js";

/** Where to listen: a host and a port (0 for any that is free), or a Unix socket. */
export interface ListenOptions {
  readonly host?: string;
  readonly port?: number;
  readonly uds?: string;
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer };
}

export interface Server {
  /** `http://127.0.0.1:8001`, with the real port; `unix:` and the path of a socket. */
  readonly url: string;
  readonly port: number;
  /** Stops accepting, lets what is in flight finish, at the most `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

/** The Express application: plugins' middleware, then one handler for everything. */
export async function createApp(kernel: Kernel): Promise<Express> {
  return dressed(kernel, await kernel.hooks.http_wrapper.promise([], kernel, {}));
}

/** Express where a plugin has something to put into it: passing through costs as much as making a small page. */
async function requestListener(kernel: Kernel): Promise<RequestListener> {
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

/** Serves over HTTP, or HTTPS. @throws Error of the system (`EADDRINUSE`) when the address can't be had */
export async function listen(kernel: Kernel, options: ListenOptions): Promise<Server> {
  const listener = await requestListener(kernel);
  const server: HttpServer =
    options.tls === undefined ? createServer(listener) : createSecureServer(options.tls, listener);
  server.requestTimeout = 0;
  server.headersTimeout = 30_000;
  const host = options.host ?? "127.0.0.1";
  server.listen(options.uds === undefined ? { host, port: options.port ?? 0 } : { path: options.uds });
  await once(server, "listening");
  const port = options.uds === undefined ? (server.address() as AddressInfo).port : 0;
  const scheme = options.tls === undefined ? "http" : "https";
  const shownHost = host.includes(":") ? `[${host}]` : host;
  return {
    url: options.uds === undefined ? `${scheme}://${shownHost}:${port}` : `unix:${options.uds}`,
    port,
    close: (graceMs = 10_000) => closeServer(server, graceMs),
  };
}

async function closeServer(server: HttpServer, graceMs: number): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}

async function send(
  response: ServerResponse,
  { status, headers, body }: Reply,
  headOnly: boolean,
): Promise<void> {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value as string | string[]);
  // A body that was refused is not read to its end; the connection can't be used again.
  if (status === 413) response.setHeader("connection", "close");
  const isWhole = typeof body === "string" || body instanceof Uint8Array;
  // What is left out is as long as for GET; a body that nobody made for HEAD says nothing about its length.
  if (headOnly && isWhole && body.length > 0) response.setHeader("content-length", Buffer.byteLength(body));
  if (headOnly) return void response.end();
  if (isWhole) return void response.end(body);
  await pump(response, body);
}

/** Writes as fast as the client reads. A body that fails midway cuts the connection, so that it shows. */
async function pump(response: ServerResponse, body: Exclude<ReplyBody, string | Uint8Array>): Promise<void> {
  try {
    for await (const piece of body) {
      if (response.destroyed) return;
      if (!response.write(piece)) await roomIn(response);
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}

/** Resolves when more may be written, or nobody reads any more; leaves no listener behind. */
function roomIn(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.once("drain", done).once("close", done);
  });
}
