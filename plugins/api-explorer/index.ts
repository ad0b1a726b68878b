import { definePlugin } from "rowhouse/plugin-api";
import { explorerRoute } from "./explorer-page.js";

/** `/-/api`: try the JSON API in the page, over what the visitor may read and write. */
export default definePlugin({
  name: "api-explorer",
  static: new URL("static/", import.meta.url),
  register_routes: () => [explorerRoute],
  extra_js_urls: (rowhouse, { viewName }) =>
    viewName === "api_explorer"
      ? { url: rowhouse.urls.staticPlugin("api-explorer", "app.js"), module: true }
      : null,
});
