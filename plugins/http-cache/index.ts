import { definePlugin, reply, type Request } from "rowhouse/plugin-api";
import { bundledSettings, type CacheState } from "rowhouse/plugin-api/contracts";
import { hasTag } from "rowhouse/plugin-api/http";
import { lifetimeHeaders, validators, isDataPage, showsData } from "./cache-headers.js";
import { entityTag, pageIdentity } from "./page-identity.js";
import { isCacheable, replyCache } from "./reply-cache.js";

interface PendingPage {
  readonly identity: string;
  readonly tag: string;
}

/** Cache headers and entity tags, and a cache of replies that is valid until the data changes. */
export default definePlugin({
  name: "http-cache",
  deterministic: true,
  unguarded: true,
  provides: ["replyCache"],
  optional: ["columnTypes", "metadata", "queries"],
  settings: bundledSettings.httpCache,

  setup(rowhouse) {
    const replies = replyCache(rowhouse.setting("reply_cache_kb"));
    /** Identity and entity tag of pages that are being made. */
    const pendingPages = new WeakMap<Request, PendingPage>();
    const states = new WeakMap<Request, CacheState>();
    rowhouse.provide("replyCache", {
      stateOf: (request) => states.get(request) ?? null,
      size: () => ({ entries: replies?.size ?? 0, bytes: replies?.calculatedSize ?? 0 }),
    });
    return {
      async before_view(_rowhouse, { visit }) {
        if (!showsData(visit)) return null;
        const identity = await pageIdentity(rowhouse, visit);
        states.set(visit.request, identity === null ? "uncacheable" : "miss");
        if (identity === null) return null;
        const cached = replies?.get(identity);
        const tag = cached?.tag ?? entityTag(identity);
        pendingPages.set(visit.request, { identity, tag });
        const isCurrent = hasTag(visit.request.headers["if-none-match"], tag);
        if (isCurrent || cached !== undefined) states.set(visit.request, isCurrent ? "revalidated" : "hit");
        if (isCurrent) return { status: 304, headers: {}, body: "" };
        return cached?.reply ?? null;
      },

      finish_reply(_rowhouse, { value, request, visit }) {
        if (visit === null || !showsData(visit)) return value;
        const page = pendingPages.get(request);
        const isNew = page !== undefined && replies?.has(page.identity) === false;
        if (isNew && isCacheable(value, visit)) replies.set(page.identity, { tag: page.tag, reply: value });
        const headers = isDataPage(visit) ? lifetimeHeaders(value, visit) : {};
        return reply.withHeaders(value, { ...headers, ...validators(value, visit, page?.tag ?? null) });
      },
    };
  },
});
