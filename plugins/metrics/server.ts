import { once } from "node:events";
import { createServer } from "node:http";
import { messageOf, type Reply } from "rowhouse/plugin-api";

/** A server of its own for metrics. */
export interface MetricsServer {
  close(): Promise<void>;
}

const PATHS: ReadonlySet<string> = new Set(["/metrics", "/-/metrics"]);

/** Serves metrics without any permission, so the address must not be public. @throws Error if it is not available */
export async function serveMetrics(
  address: { readonly host: string; readonly port: number },
  scrape: () => Promise<Reply>,
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (!PATHS.has(request.url ?? "")) {
      response.writeHead(404, { "content-type": "text/plain" }).end("The metrics are at /metrics\n");
      return;
    }
    scrape().then(
      ({ status, headers, body }) =>
        response.writeHead(status, { ...headers } as Record<string, string>).end(body),
      (error: unknown) =>
        response.writeHead(500, { "content-type": "text/plain" }).end(`${messageOf(error)}\n`),
    );
  });
  server.listen(address);
  await once(server, "listening");
  return {
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
