import type { Reply, ReplyHeaders, Visit } from "rowhouse/plugin-api";

/** What caches are told about this reply. */
export function cacheHeaders(from: Reply, visit: Visit, tag: string | null): ReplyHeaders {
  const referrer = { "referrer-policy": "no-referrer" };
  if (from.status !== 200 && from.status !== 304) return referrer;
  if (visit.rowhouse.option("reload") === true) return referrer;
  return {
    ...referrer,
    "cache-control": cacheControl(visit),
    ...(visit.actor !== null && { vary: "Cookie, Authorization" }),
    // A page that hands out a cookie is for one visitor, once.
    ...(tag !== null && from.headers["set-cookie"] === undefined && { etag: tag }),
  };
}

function cacheControl({ rowhouse, request, actor }: Visit): string {
  const asked = request.query.get("_ttl") ?? "";
  const seconds = /^\d+$/.test(asked)
    ? asked.replace(/^0+(?=\d)/, "")
    : String(rowhouse.setting("default_cache_ttl"));
  const lifetime = seconds === "0" ? "no-cache" : `max-age=${seconds}`;
  // What a signed-in visitor sees may be for their eyes only; no shared cache may keep it.
  return actor === null ? lifetime : `private, ${lifetime}`;
}
