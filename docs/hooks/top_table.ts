// Adds a line at the top of the page.
// Try: GET /library/books
// Says: <p>There is more in the cellar</p>
import { definePlugin, html } from "rowhouse/plugin-api";

export default definePlugin({
  name: "notice",
  top_table: (_rowhouse, { table }) => (table === "books" ? html`<p>There is more in the cellar</p>` : null),
});
