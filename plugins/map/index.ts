import { definePlugin } from "rowhouse/plugin-api";
import { texts } from "./texts.js";

const WITH_ROWS: ReadonlySet<string> = new Set(["table", "query"]);

/**
 * A map of rows that have a latitude and a longitude. The outlines of the continents are part of Rowhouse, so no
 * other server learns which places a user views. `#map` in the address opens it.
 */
export default definePlugin({
  name: "map",
  deterministic: true,
  unguarded: true,
  register_texts: () => texts,
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
