// Adds a line at the top of the page.
// Try: GET /
// Says: <p>Open from nine to six</p>
import { definePlugin, html } from "rowhouse/plugin-api";

export default definePlugin({
  name: "notice",
  top_homepage: () => html`<p>Open from nine to six</p>`,
});
