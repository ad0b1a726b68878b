import { LRUCache } from "lru-cache";
import type { Reply, Rowhouse, Visit } from "rowhouse/plugin-api";

const MAX_BODY_LENGTH = 256 * 1024;
// A count or facet that ran out of time under load is tried again soon, although nothing has changed.
const LIFETIME_MS = 10_000;

/** A reply as the view made it, and the tag it goes out with. */
interface CachedReply {
  readonly tag: string;
  readonly reply: Reply;
}

type Replies = LRUCache<string, CachedReply>;

const replyCaches = new WeakMap<Rowhouse, Replies | null>();

/** Replies by the identity of their page: one that is found says what a new one would say. Null when switched off. */
export function replyCache(rowhouse: Rowhouse): Replies | null {
  const known = replyCaches.get(rowhouse);
  if (known !== undefined) return known;
  const kilobytes = rowhouse.setting("reply_cache_kb");
  const replies =
    kilobytes === 0
      ? null
      : new LRUCache<string, CachedReply>({
          maxSize: kilobytes * 1024,
          sizeCalculation: bytesOf,
          ttl: LIFETIME_MS,
        });
  replyCaches.set(rowhouse, replies);
  return replies;
}

// One-byte characters nearly always.
const bytesOf = ({ reply }: CachedReply, identity: string): number =>
  reply.body.toString().length + identity.length + 500;

/** Pages for people show messages and tokens that are for one visitor, once; all of these come with a cookie. */
export const isCacheable = ({ status, headers, body }: Reply, { format, request }: Visit): boolean =>
  status === 200 &&
  // A renderer of a plugin may make no body for HEAD; a GET that follows has to have one.
  request.method === "GET" &&
  (format !== "html" || request.headers["cookie"] === undefined) &&
  typeof body === "string" &&
  body.length <= MAX_BODY_LENGTH &&
  headers["set-cookie"] === undefined &&
  headers["cache-control"] !== "no-store";
