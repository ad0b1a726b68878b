import { LRUCache } from "lru-cache";
import {
  definePlugin,
  reply,
  type Reply,
  type ReplyHeaders,
  type Request,
  type Rowhouse,
  type Visit,
} from "rowhouse/plugin-api";
import { bundledSettings, type CacheState } from "rowhouse/plugin-api/contracts";
import { hasTag, isBodyStream } from "rowhouse/plugin-api/http";
import { reportedCache } from "rowhouse/plugin-api/kernel";
import { entityTag, pageIdentity } from "./page-identity.js";
import { PagesInProgress } from "./pages-in-progress.js";

/** By what a page is found in the cache, and its entity tag. */
interface PageKey {
  readonly identity: string;
  readonly tag: string;
}

/** A page that is being made. */
interface PendingPage {
  /** Null if the page may change although the data does not. */
  readonly key: PageKey | null;
  state: CacheState;
}

/** Cache headers and entity tags, and a cache of replies that is valid until the data changes. */
export default definePlugin({
  name: "http-cache",
  deterministic: true,
  unguarded: true,
  provides: ["replyCache"],
  optional: ["columnTypes", "metadata", "queries", "texts"],
  settings: bundledSettings.httpCache,

  setup(rowhouse) {
    const identityOf = pageIdentity(rowhouse);
    const replies = replyCache(rowhouse.setting("reply_cache_kb"));
    const pages = new WeakMap<Request, PendingPage>();
    const inProgress = new PagesInProgress();
    /** Requests whose view failed: the reply is an error document. */
    const failed = new WeakSet<Request>();
    const rememberFailure = {
      order: "early",
      run: (_rowhouse: Rowhouse, { request }: { readonly request: Request }) => {
        failed.add(request);
        return null;
      },
    } as const;
    rowhouse.provide("replyCache", {
      stateOf: (request) => pages.get(request)?.state ?? null,
      size: () => ({ entries: replies?.size ?? 0, bytes: replies?.calculatedSize ?? 0 }),
    });
    return {
      async before_view(_rowhouse, { visit }) {
        if (!showsData(visit)) return null;
        const identity = await identityOf(visit);
        const cached = identity === null ? undefined : replies?.get(identity);
        const key = identity === null ? null : { identity, tag: cached?.tag ?? entityTag(identity) };
        const page: PendingPage = { key, state: key === null ? "uncacheable" : "miss" };
        pages.set(visit.request, page);
        if (key === null) return null;
        if (hasTag(visit.request.headers["if-none-match"], key.tag)) {
          page.state = "revalidated";
          return { status: 304, headers: {}, body: "" };
        }
        const isShareable = replies !== null && mayShare(visit);
        const known = cached?.reply ?? (isShareable ? await inProgress.join(key.identity) : null);
        if (known !== null) page.state = "hit";
        return known;
      },

      forbidden: rememberFailure,
      handle_exception: rememberFailure,

      finish_reply(_rowhouse, { value: made, request, visit, actor }) {
        const value = actor === null ? made : withoutSharedCaching(rowhouse, made);
        if (visit === null || !showsData(visit)) return value;
        const key = pages.get(request)?.key ?? null;
        const shown = key === null || replies === null ? value : kept(replies, key, value, visit);
        if (key !== null && mayShare(visit))
          inProgress.end(key.identity, isForEveryone(shown) ? shown : null);
        const headers = isDataPage(visit) && !failed.has(request) ? lifetimeHeaders(value, visit) : {};
        return reply.withHeaders(shown, Object.assign(headers, validators(value, visit, key?.tag ?? null)));
      },
    };
  },
});

const MAX_BODY_LENGTH = 256 * 1024;
// Short, because a count or facet that timed out under load should be retried although the data is unchanged.
const LIFETIME_MS = 10_000;

/** A reply whose body is a text. */
type TextReply = Reply & { readonly body: string };

/**
 * A reply whose body is bytes. They are sent without being encoded each time, and a text with a single character beyond
 * Latin-1 takes twice the memory.
 */
type BytesReply = Reply & { readonly body: Uint8Array };

/** A reply of a view, and its entity tag. */
interface CachedReply {
  readonly tag: string;
  readonly reply: BytesReply;
}

type Replies = LRUCache<string, CachedReply>;

/** A cache of replies by page identity; null if it is disabled. */
const replyCache = (kilobytes: number): Replies | null =>
  kilobytes === 0
    ? null
    : reportedCache(
        "replies",
        new LRUCache({ maxSize: kilobytes * 1024, sizeCalculation: bytesOf, ttl: LIFETIME_MS }),
      );

/** Compressed forms of a body are kept as long as the body, and take up to a third of its size. */
const bytesOf = ({ reply }: CachedReply, identity: string): number =>
  Math.ceil((reply.body.length * 4) / 3) + identity.length + 500;

const encoder = new TextEncoder();

/**
 * A buffer, so that `String` reads it as text. `Buffer.from(text)` would take memory from a block that several buffers
 * share and keep.
 */
function inBytes(from: TextReply): BytesReply {
  const { buffer, byteOffset, length } = encoder.encode(from.body);
  return { ...from, body: Buffer.from(buffer, byteOffset, length) };
}

/** The reply, and from now on for other requests too, if it may be cached. */
function kept(replies: Replies, { identity, tag }: PageKey, made: Reply, visit: Visit): Reply {
  if (replies.has(identity) || !mayShare(visit) || !isForEveryone(made) || !isShortText(made)) return made;
  const inMemory = inBytes(made);
  replies.set(identity, { tag, reply: inMemory });
  return inMemory;
}

/**
 * True for requests whose reply other requests may have. HTML pages with a cookie may contain messages and form tokens of
 * one client. A plugin's renderer may omit the body for HEAD.
 */
const mayShare = ({ format, request }: Visit): boolean =>
  request.method === "GET" && (format !== "html" || request.headers["cookie"] === undefined);

const isForEveryone = ({ status, headers, body }: Reply): boolean =>
  status === 200 &&
  !isBodyStream(body) &&
  headers["set-cookie"] === undefined &&
  headers["cache-control"] !== "no-store";

const isShortText = (made: Reply): made is TextReply =>
  typeof made.body === "string" && made.body.length <= MAX_BODY_LENGTH;

/**
 * Shared caches may store a reply without `Cache-Control` for a time of their own choice. Replies to signed-in actors,
 * such as exports and documents of the server, may be confidential.
 */
const withoutSharedCaching = (rowhouse: Rowhouse, from: Reply): Reply =>
  from.headers["cache-control"] === undefined && rowhouse.option("reload") !== true
    ? reply.withHeaders(from, { "cache-control": "private" })
    : from;

/** `Cache-Control` and `Referrer-Policy` of a reply. */
function lifetimeHeaders(from: Reply, visit: Visit): ReplyHeaders {
  return allowsCaching(from, visit)
    ? { "referrer-policy": "no-referrer", "cache-control": cacheControl(from, visit) }
    : { "referrer-policy": "no-referrer" };
}

/** `Vary` and `ETag` of a reply. */
function validators(from: Reply, visit: Visit, tag: string | null): ReplyHeaders {
  if (!allowsCaching(from, visit)) return {};
  return {
    vary: varying(visit) ? "Accept-Language, Cookie, Authorization" : "Cookie, Authorization",
    // A reply that sets a cookie is for one client only. A tag of its own is the version of a row.
    ...(tag !== null &&
      from.headers["set-cookie"] === undefined &&
      from.headers["etag"] === undefined && { etag: tag }),
  };
}

/** True for pages whose texts are those of the reader's language. */
const varying = ({ rowhouse, format }: Visit): boolean =>
  format === "html" && rowhouse.serviceIfAny("texts")?.dependsOnRequest === true;

const allowsCaching = ({ status, headers }: Reply, { rowhouse }: Visit): boolean =>
  (status === 200 || status === 304) &&
  headers["cache-control"] !== "no-store" &&
  rowhouse.option("reload") !== true;

function cacheControl({ headers }: Reply, { rowhouse, request, actor }: Visit): string {
  const requested = request.query.get("_ttl") ?? "";
  const seconds = /^\d+$/.test(requested)
    ? requested.replace(/^0+(?=\d)/, "")
    : String(rowhouse.setting("default_cache_ttl"));
  const kept = headers["cache-control"] === "no-transform" ? ", no-transform" : "";
  const lifetime = `${seconds === "0" ? "no-cache" : `max-age=${seconds}`}${kept}`;
  // Pages of signed-in actors may be confidential, so shared caches must not store them.
  return actor === null ? lifetime : `private, ${lifetime}`;
}

/** True for pages of a database, table, row or query, except CSV exports. */
const isDataPage = (visit: Visit): boolean =>
  showsData(visit) && visit.target.kind !== "instance" && visit.format !== "csv";

/** The same including exports and the list of databases. */
const showsData = ({ request, route, target }: Visit): boolean =>
  (request.method === "GET" || request.method === "HEAD") &&
  (target.kind !== "instance" || route.name === "index") &&
  typeof route.path === "string" &&
  route.path.endsWith("{.:format}");
