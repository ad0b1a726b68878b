import type { IncomingMessage, RequestListener } from "node:http";
import type { Kernel } from "../../core/index.js";
import { replyToMalformed } from "./malformed-request.js";
import { send } from "./send.js";

/** The characters of a name or an address, with a port (RFC 3986). */
const HOST = /^[\w.~!$&'()*+,;=:%[\]-]*$/;

/**
 * Refuses requests whose `Host` is missing, repeated or invalid, as RFC 9112 requires. Links of replies contain it, and
 * a proxy may have chosen the server by another one of two.
 */
export const withValidHost =
  (kernel: () => Kernel, listener: RequestListener): RequestListener =>
  (message, response) => {
    const problem = hostProblem(message);
    if (problem === null) listener(message, response);
    else
      replyToMalformed(kernel(), 400, problem)
        .then((reply) => send(response, reply, { headOnly: message.method === "HEAD", sent: { bytes: 0 } }))
        .catch(() => response.destroy());
  };

function hostProblem({ headers: { host }, httpVersion, rawHeaders }: IncomingMessage): string | null {
  if (host === undefined) return httpVersion === "1.0" ? null : "The header Host is missing";
  if (!HOST.test(host)) return "The header Host is not a name or an address";
  return countHosts(rawHeaders) > 1 ? "The header Host is repeated" : null;
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === "host") count += 1;
  }
  return count;
}
