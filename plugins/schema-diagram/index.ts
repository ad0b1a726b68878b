import { definePlugin, defineRoute, permissionChain } from "rowhouse/plugin-api";
import { addFilesToPages } from "rowhouse/plugin-api/html";
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
  ...addFilesToPages({ module: "app.js", styles: "app.css" }, ({ viewName }) => viewName === "diagram"),
  register_routes: () => [diagramRoute],
  database_actions: (rowhouse, { request, database }) => ({
    href: `${rowhouse.urls.database(database)}/-/diagram`,
    label: tOf({ rowhouse, request })("diagram.link"),
    description: tOf({ rowhouse, request })("diagram.about"),
  }),
  describe_api: async () => (await import("./openapi.js")).api,
});
