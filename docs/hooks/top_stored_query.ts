// Adds a line above the results of a canned query.
// Try: GET /library/recent
// Says: <p>The query recent</p>
import { definePlugin, html } from "rowhouse/plugin-api";

export default definePlugin({
  name: "notice",
  canned_queries: () => ({ recent: "select title from books limit 3" }),
  top_stored_query: (_rowhouse, { queryName }) => html`<p>The query ${queryName}</p>`,
});
