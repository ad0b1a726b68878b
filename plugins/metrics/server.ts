import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { messageOf, type Reply } from "rowhouse/plugin-api";

/** A server of its own for metrics. */
export interface MetricsServer {
  close(): Promise<void>;
}

type Scrape = () => Promise<Reply>;

interface OpenPort {
  readonly server: Server;
  /** Of the kernels that serve metrics here: during a reload there are two. The last one answers. */
  readonly scrapes: Scrape[];
}

const METHODS = ["GET", "HEAD"];
const TEXT = { "content-type": "text/plain" };
const PATHS: ReadonlySet<string> = new Set(["/metrics", "/-/metrics"]);

/** The open ports. After a reload, the next kernel uses that of the kernel before. */
export class MetricsPorts {
  readonly #open = new Map<string, OpenPort>();

  /** Serves metrics without any permission, so the address must not be public. @throws Error if it is not available */
  async serve(
    address: { readonly host: string; readonly port: number },
    scrape: Scrape,
  ): Promise<MetricsServer> {
    const key = `${address.host} ${address.port}`;
    const port = this.#open.get(key) ?? (await listen(address));
    this.#open.set(key, port);
    port.scrapes.push(scrape);
    return {
      close: async () => {
        port.scrapes.splice(port.scrapes.indexOf(scrape), 1);
        if (port.scrapes.length > 0) return;
        this.#open.delete(key);
        port.server.close();
        port.server.closeAllConnections();
        await once(port.server, "close");
      },
    };
  }
}

async function listen(address: { readonly host: string; readonly port: number }): Promise<OpenPort> {
  const scrapes: Scrape[] = [];
  const server = createServer(({ method = "", url = "" }, response) => {
    const [path = ""] = url.split("?");
    if (!PATHS.has(path)) return response.writeHead(404, TEXT).end("The metrics are at /metrics\n");
    if (!METHODS.includes(method))
      return response.writeHead(405, { ...TEXT, allow: METHODS.join(", ") }).end("Method not allowed\n");
    return answer(response, scrapes.at(-1));
  });
  server.listen(address);
  await once(server, "listening");
  return { server, scrapes };
}

function answer(response: ServerResponse, scrape: Scrape | undefined): void {
  scrape?.().then(
    ({ status, headers, body }) =>
      response.writeHead(status, { ...headers } as Record<string, string>).end(body),
    (error: unknown) => response.writeHead(500, TEXT).end(`${messageOf(error)}\n`),
  );
}
