import { definePlugin } from "rowhouse/plugin-api";
import { texts } from "./texts.js";

/** On the page of a row: the rows before and after it, buttons that copy values, pictures, trees of JSON, and how long ago dates are. */
export default definePlugin({
  name: "row-details",
  deterministic: true,
  unguarded: true,
  register_texts: () => texts,
  static: new URL("static/", import.meta.url),
  extra_js_urls(rowhouse, { viewName }) {
    return viewName === "row" ? { url: rowhouse.urls.staticPlugin(this.name, "app.js"), module: true } : null;
  },
  extra_css_urls(rowhouse, { viewName }) {
    return viewName === "row" ? rowhouse.urls.staticPlugin(this.name, "app.css") : null;
  },
});
