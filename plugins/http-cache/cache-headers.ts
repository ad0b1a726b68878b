import type { Reply, ReplyHeaders, Visit } from "rowhouse/plugin-api";

/** `Cache-Control` and `Referrer-Policy` of a reply. */
export function lifetimeHeaders(from: Reply, visit: Visit): ReplyHeaders {
  const referrer = { "referrer-policy": "no-referrer" };
  return allowsCaching(from, visit) ? { ...referrer, "cache-control": cacheControl(visit) } : referrer;
}

/** `Vary` and `ETag` of a reply. */
export function validators(from: Reply, visit: Visit, tag: string | null): ReplyHeaders {
  if (!allowsCaching(from, visit)) return {};
  return {
    vary: "Cookie, Authorization",
    // A reply that sets a cookie is for one client only.
    ...(tag !== null && from.headers["set-cookie"] === undefined && { etag: tag }),
  };
}

const allowsCaching = ({ status, headers }: Reply, { rowhouse }: Visit): boolean =>
  (status === 200 || status === 304) &&
  headers["cache-control"] !== "no-store" &&
  rowhouse.option("reload") !== true;

function cacheControl({ rowhouse, request, actor }: Visit): string {
  const requested = request.query.get("_ttl") ?? "";
  const seconds = /^\d+$/.test(requested)
    ? requested.replace(/^0+(?=\d)/, "")
    : String(rowhouse.setting("default_cache_ttl"));
  const lifetime = seconds === "0" ? "no-cache" : `max-age=${seconds}`;
  // Pages of signed-in actors may be confidential, so shared caches must not store them.
  return actor === null ? lifetime : `private, ${lifetime}`;
}

/** True for pages of a database, table, row or query, except CSV exports. */
export const isDataPage = (visit: Visit): boolean =>
  showsData(visit) && visit.target.kind !== "instance" && visit.format !== "csv";

/** The same including exports and the list of databases. */
export const showsData = ({ request, route, target }: Visit): boolean =>
  (request.method === "GET" || request.method === "HEAD") &&
  (target.kind !== "instance" || route.name === "index") &&
  typeof route.path === "string" &&
  route.path.endsWith("{.:format}");
