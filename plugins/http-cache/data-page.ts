import type { Visit } from "rowhouse/plugin-api";

/** Is this a page about a database, table, row or query, in a format that is not an export? */
export const isDataPage = ({ request, route, target, format }: Visit): boolean =>
  (request.method === "GET" || request.method === "HEAD") &&
  target.kind !== "instance" &&
  format !== "csv" &&
  typeof route.path === "string" &&
  route.path.endsWith("{.:format}");
