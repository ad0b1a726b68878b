import { definePlugin } from "rowhouse/plugin-api";
import { addFilesToPages } from "rowhouse/plugin-api/html";
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
  ...addFilesToPages({ module: "app.js" }, ({ viewName }) => viewName === "api_explorer"),
  register_routes: () => [explorerRoute],
  homepage_actions: (rowhouse, { request }) => ({
    href: rowhouse.urls.path(EXPLORER_PATH),
    label: tOf({ rowhouse, request })("api.link"),
    description: tOf({ rowhouse, request })("api.about"),
  }),
});
