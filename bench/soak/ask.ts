import { Agent, request, type RequestOptions } from "node:http";

/**
 * The time limit of a reply. A connection that Node was giving to a worker when the worker was killed is
 * answered by no process.
 */
const REPLY_LIMIT_MS = 20_000;
export const replyLimit = (): AbortSignal => AbortSignal.timeout(REPLY_LIMIT_MS);

const agent = new Agent({ keepAlive: true });

/** The status of a reply, of which everything was read. `fetch` takes more of the processors, which the server shares. */
export const ask = (url: string, options: RequestOptions = {}, body?: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const asked = request(url, { ...options, agent, signal: replyLimit() }, (reply) => {
      reply.once("end", () => resolve(reply.statusCode ?? 0)).once("error", reject);
      reply.resume();
    });
    asked.once("error", reject).end(body);
  });
