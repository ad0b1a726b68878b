// Asks search engines not to index the site.
// Try: GET /library/books
// Header: x-robots-tag: noindex
import { definePlugin, reply } from "rowhouse/plugin-api";

export default definePlugin({
  name: "no-robots",
  finish_reply: (_rowhouse, { value }) => reply.withHeaders(value, { "x-robots-tag": "noindex" }),
});
