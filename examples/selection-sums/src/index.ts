import { definePlugin } from "rowhouse/plugin-api";

/** Adds the sums of selected rows to the pages of tables and views. All else happens in the browser: see `client/`. */
export default definePlugin({
  name: "selection-sums",
  // Every visitor gets the same script, so pages keep their entity tags.
  deterministic: true,
  static: new URL("../static/", import.meta.url),
  extra_js_urls: ({ urls }, { viewName }) =>
    viewName === "table" ? { url: urls.staticPlugin("selection-sums", "app.js"), module: true } : null,
  extra_css_urls: ({ urls }, { viewName }) =>
    viewName === "table" ? urls.staticPlugin("selection-sums", "sums.css") : null,
});
