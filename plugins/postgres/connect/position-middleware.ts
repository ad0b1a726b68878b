import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { isObject, type Rowhouse } from "rowhouse/plugin-api";
import { BadSignature } from "rowhouse/plugin-api/errors";
import { cookie, parseCookies } from "rowhouse/plugin-api/http";
import type { Middleware } from "rowhouse/plugin-api/kernel";
import { ClientReads, clientReads, merged, type Positions } from "./client-reads.js";

const HEADER = "rowhouse-position";
const COOKIE = "rowhouse_position";
const NAMESPACE = "postgres-position";
const MAX_TOKENS = 10_000;
const READING: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
const NONE: Positions = new Map();

/**
 * Lets each client read what it has written, from every process with the same secret: a reply to a write carries the log
 * position of its commit as cookie and as header. Positions are also remembered by token. Older ones than
 * `maxAgeSeconds` say nothing, because no standby that is read from is so far behind.
 */
export function positionMiddleware(rowhouse: Rowhouse, maxAgeSeconds: number): Middleware {
  const byToken = new LRUCache<string, Positions>({ max: MAX_TOKENS, ttl: maxAgeSeconds * 1_000 });
  return (request, response, next) => {
    const { [HEADER]: header, authorization, cookie: cookies } = request.headers;
    const token = authorization === undefined ? null : digestOf(authorization);
    const sent = [header, cookies === undefined ? undefined : parseCookies(cookies).get(COOKIE)]
      .map((text) => readPositions(rowhouse, text))
      .reduce(merged, (token === null ? undefined : byToken.get(token)) ?? NONE);
    const client = new ClientReads(sent, !READING.has(request.method));
    const writeHead = response.writeHead.bind(response) as (...parts: unknown[]) => typeof response;
    response.writeHead = ((...parts: unknown[]) => {
      if (client.hasWritten && !response.headersSent) {
        if (token !== null) byToken.set(token, client.positions);
        const signed = rowhouse.sign(
          Object.fromEntries(
            [...client.positions].map(([database, position]) => [database, String(position)]),
          ),
          NAMESPACE,
        );
        response.setHeader(HEADER, signed);
        response.appendHeader("set-cookie", cookie(COOKIE, signed, { maxAgeSeconds }));
      }
      return writeHead(...parts);
    }) as typeof response.writeHead;
    clientReads.run(client, () => next());
  };
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64");

/** Positions are signed, so that clients can't send all reads to the primary. Invalid ones are ignored. */
function readPositions(rowhouse: Rowhouse, signed: string | readonly string[] | undefined): Positions {
  if (typeof signed !== "string" || signed === "") return NONE;
  try {
    const positions = rowhouse.unsign(signed, NAMESPACE);
    if (!isObject(positions)) return NONE;
    return new Map(
      Object.entries(positions).map(([database, position]) => [database, BigInt(String(position))]),
    );
  } catch (error) {
    if (error instanceof BadSignature) return NONE;
    throw error;
  }
}
