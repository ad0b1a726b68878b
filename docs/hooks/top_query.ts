// Adds a line at the top of the page.
// Try: GET /library?sql=select+1
// Says: <p>8 characters of SQL</p>
import { definePlugin, html } from "rowhouse/plugin-api";

export default definePlugin({
  name: "notice",
  top_query: (_rowhouse, { sql }) => html`<p>${sql.length} characters of SQL</p>`,
});
