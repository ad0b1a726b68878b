import { definePlugin } from "rowhouse/plugin-api";
import { EXPLORER_PATH, explorerRoute } from "./explorer-page.js";
import { texts, tOf } from "./texts.js";

/**
 * `/-/api`: a page that sends requests to the JSON API, with examples of what the actor may read and write.
 */
export default definePlugin({
  name: "api-explorer",
  deterministic: true,
  unguarded: true,
  register_texts: () => texts,
  optional: ["browse"],
  static: new URL("static/", import.meta.url),
  register_routes: () => [explorerRoute],
  homepage_actions: (rowhouse, { request }) => ({
    href: rowhouse.urls.path(EXPLORER_PATH),
    label: tOf({ rowhouse, request })("api.link"),
    description: tOf({ rowhouse, request })("api.about"),
  }),
  extra_js_urls(rowhouse, { viewName }) {
    return viewName === "api_explorer"
      ? { url: rowhouse.urls.staticPlugin(this.name, "app.js"), module: true }
      : null;
  },
});
