import { definePlugin, permissionChain, type Link, type Rowhouse } from "rowhouse/plugin-api";
import { columnsView } from "./columns-page.js";

/** Statistics of table columns: filled and distinct values, minimum, maximum, mean and most frequent values. */
export default definePlugin({
  name: "column-stats",
  deterministic: true,
  unguarded: true,
  requires: ["tables"],
  static: new URL("static/", import.meta.url),
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
  table_actions: (rowhouse, { database, table }) => link(rowhouse, database, table),
  view_actions: (rowhouse, { database, view }) => link(rowhouse, database, view),
  extra_css_urls(rowhouse, { viewName }) {
    return viewName === "columns" ? rowhouse.urls.staticPlugin(this.name, "app.css") : null;
  },
});

const link = ({ urls }: Rowhouse, database: string, table: string): Link => ({
  href: `${urls.table(database, table)}/-/columns`,
  label: "Column statistics",
});
