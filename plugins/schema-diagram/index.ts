import { definePlugin, defineRoute, permissionChain } from "rowhouse/plugin-api";
import { diagramView } from "./diagram-page.js";
import { texts, tOf } from "./texts.js";

const diagramRoute = defineRoute({
  name: "diagram",
  path: "/:database/-/diagram{.:format}",
  target: "database",
  permissions: permissionChain,
  refusal: "You do not have permission to view this database",
  view: diagramView,
});

/** `/<database>/-/diagram`: a drawing of the tables of a database, their columns and foreign keys. */
export default definePlugin({
  name: "schema-diagram",
  deterministic: true,
  unguarded: true,
  register_texts: () => texts,
  optional: ["browse"],
  static: new URL("static/", import.meta.url),
  register_routes: () => [diagramRoute],
  database_actions: (rowhouse, { request, database }) => ({
    href: `${rowhouse.urls.database(database)}/-/diagram`,
    label: tOf({ rowhouse, request })("diagram.link"),
    description: tOf({ rowhouse, request })("diagram.about"),
  }),
  extra_js_urls(rowhouse, { viewName }) {
    return viewName === "diagram"
      ? { url: rowhouse.urls.staticPlugin(this.name, "app.js"), module: true }
      : null;
  },
  extra_css_urls(rowhouse, { viewName }) {
    return viewName === "diagram" ? rowhouse.urls.staticPlugin(this.name, "app.css") : null;
  },
  describe_api: async () => (await import("./openapi.js")).api,
});
