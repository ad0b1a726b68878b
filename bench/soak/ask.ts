import { Agent, request, type RequestOptions } from "node:http";

/**
 * A client that waits no longer than this. A connection that Node was giving to a worker when the worker was killed is
 * answered by no process.
 */
const PATIENCE_MS = 20_000;
export const patience = (): AbortSignal => AbortSignal.timeout(PATIENCE_MS);

const agent = new Agent({ keepAlive: true });

/** The status of a reply, of which everything was read. `fetch` takes more of the processors, which the server shares. */
export const ask = (url: string, options: RequestOptions = {}, body?: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const asked = request(url, { ...options, agent, signal: patience() }, (reply) => {
      reply.once("end", () => resolve(reply.statusCode ?? 0)).once("error", reject);
      reply.resume();
    });
    asked.once("error", reject).end(body);
  });
