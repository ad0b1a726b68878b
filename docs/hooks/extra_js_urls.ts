// Adds a JavaScript module from the static files of the plugin.
// Try: GET /library
// Says: src="/-/static-plugins/shelf/shelf.js" type="module"
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "shelf",
  static: new URL("static/", import.meta.url),
  extra_js_urls: (rowhouse) => ({
    url: rowhouse.urls.staticPlugin("shelf", "shelf.js"),
    module: true,
  }),
});
