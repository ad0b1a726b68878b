import { definePlugin } from "rowhouse/plugin-api";

/** Pages that show rows. */
const WITH_ROWS: ReadonlySet<string> = new Set(["table", "query"]);

/**
 * Charts of any table, query or facet. All of it happens in the browser, over the JSON that its visitor may read;
 * what is drawn stands in the fragment of the address, so that a chart can be kept and passed on.
 */
export default definePlugin({
  name: "charts",
  deterministic: true,
  unguarded: true,
  static: new URL("static/", import.meta.url),
  extra_js_urls(rowhouse, { viewName }) {
    return WITH_ROWS.has(viewName)
      ? [
          rowhouse.urls.staticPlugin(this.name, "early.js"),
          { url: rowhouse.urls.staticPlugin(this.name, "app.js"), module: true },
        ]
      : null;
  },
  extra_css_urls(rowhouse, { viewName }) {
    return WITH_ROWS.has(viewName) ? rowhouse.urls.staticPlugin(this.name, "app.css") : null;
  },
});
