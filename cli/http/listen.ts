import { once } from "node:events";
import { createServer, type Server as HttpServer } from "node:http";
import { createServer as createSecureServer, Server as SecureServer } from "node:https";
import type { AddressInfo, ListenOptions as ListenOptionsOfNode } from "node:net";
import type { Kernel } from "../../core/index.js";
import { Answering, type AnsweringOptions } from "./answering.js";
import { answerMalformed, rejectTunnel } from "./malformed-request.js";

/** The key and the certificate of a server, in PEM. */
export interface KeyPair {
  readonly key: string | Buffer;
  readonly cert: string | Buffer;
}

/** The address: a host and a port (0 for any free one), or a Unix socket. */
export interface ListenOptions extends AnsweringOptions {
  readonly host?: string;
  readonly port?: number;
  readonly uds?: string;
  readonly tls?: KeyPair;
}

export interface Server {
  /** `http://127.0.0.1:8001` with the actual port; `unix:` and the path of a socket. */
  readonly url: string;
  readonly port: number;
  /**
   * Prepares that another kernel answers from now on. The result makes the change, for requests that come after it; it
   * settles when the requests of the kernel before have ended, which may then be closed. No connection is closed.
   *
   * @throws whatever a plugin throws in `http_wrapper` or `prepare_app`; then nothing changes
   */
  prepareKernel(kernel: Kernel, tls?: KeyPair): Promise<() => Promise<void>>;
  /** Fires `drain` unless it was fired, and waits for what it calls. */
  drain(): Promise<void>;
  /** Drains, stops accepting connections, and waits at most `graceMs` for running requests. */
  close(graceMs?: number): Promise<void>;
}

/** URLs contain SQL. Node's own limit is a quarter of this. */
const LIMITS = { maxHeaderSize: 65_536, connectionsCheckingInterval: 1_000, requireHostHeader: false };

/** Serves over HTTP, or HTTPS. @throws Error of the system (`EADDRINUSE`) if the address is not available */
export async function listen(kernel: Kernel, options: ListenOptions): Promise<Server> {
  const answering = await Answering.start(kernel, options);
  const kernelNow = (): Kernel => answering.kernel;
  const { listener } = answering;
  const { tls } = options;
  const server: HttpServer =
    tls === undefined ? createServer(LIMITS, listener) : createSecureServer({ ...LIMITS, ...tls }, listener);
  server.on("connect", rejectTunnel(kernelNow));
  server.on("clientError", answerMalformed(kernelNow));
  server.requestTimeout = 0;
  limitTimes(server, kernel, options);
  const host = options.host ?? "127.0.0.1";
  server.listen(options.uds === undefined ? { host, port: options.port ?? 0 } : socketOf(options));
  await once(server, "listening");
  const port = options.uds === undefined ? (server.address() as AddressInfo).port : 0;
  const scheme = options.tls === undefined ? "http" : "https";
  const shownHost = host.includes(":") ? `[${host}]` : host;
  return {
    url: options.uds === undefined ? `${scheme}://${shownHost}:${port}` : `unix:${options.uds}`,
    port,
    async prepareKernel(next, renewed) {
      const change = await answering.prepare(next);
      return () => {
        if (renewed !== undefined && server instanceof SecureServer) server.setSecureContext(renewed);
        limitTimes(server, next, options);
        return change();
      };
    },
    drain: () => drained(answering.kernel),
    close: async (graceMs = 10_000) => {
      const startedMs = performance.now();
      await drained(answering.kernel);
      await closeServer(server, Math.max(0, graceMs - (performance.now() - startedMs)));
    },
  };
}

const draining = new WeakMap<Kernel, Promise<void>>();

/** Fires `drain` once for each kernel, however many addresses it has. */
function drained(kernel: Kernel): Promise<void> {
  const started = draining.get(kernel) ?? kernel.hooks.drain.promise(kernel, {});
  draining.set(kernel, started);
  return started;
}

/**
 * Node shares the addresses of workers through the first process. The socket on which one worker takes requests of the
 * others is its own.
 */
const socketOf = ({ uds, fromWorkers }: ListenOptions): ListenOptionsOfNode => ({
  path: uds,
  exclusive: fromWorkers === true,
});

function limitTimes(server: HttpServer, kernel: Kernel, { fromWorkers }: ListenOptions): void {
  server.headersTimeout = kernel.setting("header_time_limit_ms");
  // A connection that is closed while it is used again would lose a request.
  server.keepAliveTimeout = fromWorkers === true ? 0 : kernel.setting("idle_connection_limit_ms");
}

const LOOK_EVERY_MS = 50;

async function closeServer(server: HttpServer, graceMs: number): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  // Clients keep idle connections open for seconds.
  const idle = setInterval(() => server.closeIdleConnections(), LOOK_EVERY_MS);
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(timer);
}
