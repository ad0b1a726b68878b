import { definePlugin } from "rowhouse/plugin-api";
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
  extra_js_urls(rowhouse, { viewName }) {
    return WITH_CHARTS.has(viewName)
      ? [
          rowhouse.urls.staticPlugin(this.name, "early.js"),
          { url: rowhouse.urls.staticPlugin(this.name, "app.js"), module: true },
        ]
      : null;
  },
  extra_css_urls(rowhouse, { viewName }) {
    return WITH_CHARTS.has(viewName) ? rowhouse.urls.staticPlugin(this.name, "app.css") : null;
  },
});
