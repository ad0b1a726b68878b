import { definePlugin, permissionChain, type Link, type Visit } from "rowhouse/plugin-api";
import { addFilesToPages } from "rowhouse/plugin-api/html";
import { columnsView } from "./columns-page.js";
import { texts, tOf } from "./texts.js";

/** Statistics of table columns: filled and distinct values, minimum, maximum, mean and most frequent values. */
export default definePlugin({
  name: "column-stats",
  deterministic: true,
  unguarded: true,
  register_texts: () => texts,
  requires: ["tables"],
  optional: ["metadata"],
  static: new URL("static/", import.meta.url),
  ...addFilesToPages({ styles: "app.css" }, ({ viewName }) => viewName === "columns"),
  register_routes: () => [
    {
      name: "columns",
      path: "/:database/:resource/-/columns{.:format}",
      target: "table",
      permissions: permissionChain,
      refusal: "You do not have permission to view this table",
      view: columnsView,
    },
  ],
  table_actions: (rowhouse, { request, database, table }) => link({ rowhouse, request }, database, table),
  view_actions: (rowhouse, { request, database, view }) => link({ rowhouse, request }, database, view),
  describe_api: async () => (await import("./openapi.js")).api,
});

const link = (visit: Pick<Visit, "rowhouse" | "request">, database: string, table: string): Link => ({
  href: `${visit.rowhouse.urls.table(database, table)}/-/columns`,
  label: tOf(visit)("stats.link"),
});
