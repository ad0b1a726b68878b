import { definePlugin, reply } from "rowhouse/plugin-api";
import type { Request } from "rowhouse/plugin-api";
import { lifetimeHeaders, validators } from "./cache-headers.js";
import { isDataPage, showsData } from "./data-page.js";
import { hasTag, makeTag } from "./entity-tag.js";

/** Tags of pages that are being made, to go out with them. */
const tags = new WeakMap<Request, string>();

/** How long pages of data keep, and "not modified" without asking the database again. */
export default definePlugin({
  name: "http-cache",
  settings: [
    {
      name: "default_cache_ttl",
      default: 5,
      help: "Seconds a page may be kept by caches: Cache-Control: max-age",
      check: (value) => (Number(value) < 0 ? "must not be negative" : null),
    },
  ],

  async before_view(rowhouse, { visit }) {
    if (!showsData(visit)) return null;
    const tag = await makeTag(rowhouse, visit);
    if (tag === null) return null;
    tags.set(visit.request, tag);
    if (!hasTag(visit.request.headers["if-none-match"], tag)) return null;
    return { status: 304, headers: {}, body: "" };
  },

  finish_reply(_rowhouse, { value, visit }) {
    if (visit === null || !showsData(visit)) return value;
    const headers = isDataPage(visit) ? lifetimeHeaders(value, visit) : {};
    return reply.withHeaders(value, {
      ...headers,
      ...validators(value, visit, tags.get(visit.request) ?? null),
    });
  },
});
