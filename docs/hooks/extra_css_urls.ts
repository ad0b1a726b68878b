// Adds a style sheet to the pages of one table.
// Try: GET /library/books
// Says: href="/-/static-plugins/shelf/shelf.css"
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "shelf",
  static: new URL("static/", import.meta.url),
  extra_css_urls: (rowhouse, { table }) =>
    table === "books" ? rowhouse.urls.staticPlugin("shelf", "shelf.css") : null,
});
