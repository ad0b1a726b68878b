import { definePlugin } from "rowhouse/plugin-api";
import { addFilesToPages } from "rowhouse/plugin-api/html";
import { texts } from "./texts.js";

/** Pages with rows or saved charts. */
const WITH_CHARTS: ReadonlySet<string> = new Set(["table", "query", "groups", "dashboard"]);

/**
 * Charts of tables, queries and facets. The browser draws them from the JSON that the actor may read. The fragment of
 * the address contains the settings, so that a chart can be bookmarked and shared.
 */
export default definePlugin({
  name: "charts",
  deterministic: true,
  unguarded: true,
  register_texts: () => texts,
  static: new URL("static/", import.meta.url),
  ...addFilesToPages({ script: "early.js", module: "app.js", styles: "app.css" }, ({ viewName }) =>
    WITH_CHARTS.has(viewName),
  ),
});
