import type { Visit } from "rowhouse/plugin-api";

/** Is this a page about a database, table, row or query, in a format that is not an export? */
export const isDataPage = (visit: Visit): boolean =>
  showsData(visit) && visit.target.kind !== "instance" && visit.format !== "csv";

/** The same with exports, and the list of databases. */
export const showsData = ({ request, route, target }: Visit): boolean =>
  (request.method === "GET" || request.method === "HEAD") &&
  (target.kind !== "instance" || route.name === "index") &&
  typeof route.path === "string" &&
  route.path.endsWith("{.:format}");
