import type { Reply, ReplyHeaders, Visit } from "rowhouse/plugin-api";

/** How long caches may keep this reply, and who may learn where a link on it was followed. */
export function lifetimeHeaders(from: Reply, visit: Visit): ReplyHeaders {
  const referrer = { "referrer-policy": "no-referrer" };
  return allowsCaching(from, visit) ? { ...referrer, "cache-control": cacheControl(visit) } : referrer;
}

/** By what a cache tells one reply from another: who asks, and the state that the reply shows. */
export function validators(from: Reply, visit: Visit, tag: string | null): ReplyHeaders {
  if (!allowsCaching(from, visit)) return {};
  return {
    vary: "Cookie, Authorization",
    // A page that hands out a cookie is for one visitor, once.
    ...(tag !== null && from.headers["set-cookie"] === undefined && { etag: tag }),
  };
}

const allowsCaching = ({ status, headers }: Reply, { rowhouse }: Visit): boolean =>
  (status === 200 || status === 304) &&
  headers["cache-control"] !== "no-store" &&
  rowhouse.option("reload") !== true;

function cacheControl({ rowhouse, request, actor }: Visit): string {
  const asked = request.query.get("_ttl") ?? "";
  const seconds = /^\d+$/.test(asked)
    ? asked.replace(/^0+(?=\d)/, "")
    : String(rowhouse.setting("default_cache_ttl"));
  const lifetime = seconds === "0" ? "no-cache" : `max-age=${seconds}`;
  // What a signed-in visitor sees may be for their eyes only; no shared cache may keep it.
  return actor === null ? lifetime : `private, ${lifetime}`;
}

/** Is this a page about a database, table, row or query, in a format that is not an export? */
export const isDataPage = (visit: Visit): boolean =>
  showsData(visit) && visit.target.kind !== "instance" && visit.format !== "csv";

/** The same with exports, and the list of databases. */
export const showsData = ({ request, route, target }: Visit): boolean =>
  (request.method === "GET" || request.method === "HEAD") &&
  (target.kind !== "instance" || route.name === "index") &&
  typeof route.path === "string" &&
  route.path.endsWith("{.:format}");
