import { LRUCache } from "lru-cache";
import type { Reply, Visit } from "rowhouse/plugin-api";

const MAX_BODY_LENGTH = 256 * 1024;
// Short, because a count or facet that timed out under load should be retried although the data is unchanged.
const LIFETIME_MS = 10_000;

/** A reply of a view, and its entity tag. */
interface CachedReply {
  readonly tag: string;
  readonly reply: Reply;
}

type Replies = LRUCache<string, CachedReply>;

/** A cache of replies by page identity; null if it is disabled. */
export const replyCache = (kilobytes: number): Replies | null =>
  kilobytes === 0
    ? null
    : new LRUCache({ maxSize: kilobytes * 1024, sizeCalculation: bytesOf, ttl: LIFETIME_MS });

// Nearly all characters have one byte.
const bytesOf = ({ reply }: CachedReply, identity: string): number =>
  reply.body.toString().length + identity.length + 500;

/** HTML pages with a cookie may contain messages and form tokens of one client, so they are not cached. */
export const isCacheable = ({ status, headers, body }: Reply, { format, request }: Visit): boolean =>
  status === 200 &&
  // A plugin's renderer may omit the body for HEAD, so only replies to GET are cached.
  request.method === "GET" &&
  (format !== "html" || request.headers["cookie"] === undefined) &&
  typeof body === "string" &&
  body.length <= MAX_BODY_LENGTH &&
  headers["set-cookie"] === undefined &&
  headers["cache-control"] !== "no-store";
