// Adds a line at the top of the page.
// Try: GET /library/books/1
// Says: <p>Ask for number 1 at the desk</p>
import { definePlugin, html } from "rowhouse/plugin-api";

export default definePlugin({
  name: "notice",
  top_row: (_rowhouse, { rowPath }) => html`<p>Ask for number ${rowPath} at the desk</p>`,
});
