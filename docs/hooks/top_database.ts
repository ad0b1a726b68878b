// Adds a line at the top of the page.
// Try: GET /library
// Says: <p>Open from nine to six</p>
import { definePlugin, html } from "rowhouse/plugin-api";

export default definePlugin({
  name: "notice",
  top_database: () => html`<p>Open from nine to six</p>`,
});
