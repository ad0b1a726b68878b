import { definePlugin } from "rowhouse/plugin-api";
import { texts } from "./texts.js";

/**
 * The layout of tables that a browser keeps for its user: density, widths and frozen columns. The order and the choice of
 * columns are in the address.
 */
export default definePlugin({
  name: "table-layout",
  deterministic: true,
  unguarded: true,
  register_texts: () => texts,
  static: new URL("static/", import.meta.url),
  extra_js_urls(rowhouse, { viewName }) {
    return viewName === "table"
      ? [
          rowhouse.urls.staticPlugin(this.name, "early.js"),
          { url: rowhouse.urls.staticPlugin(this.name, "app.js"), module: true },
        ]
      : null;
  },
  extra_css_urls(rowhouse, { viewName }) {
    return viewName === "table" ? rowhouse.urls.staticPlugin(this.name, "app.css") : null;
  },
});
