// Adds the opening hours to the header of all pages.
// Try: GET /library
// Says: <span>Open until six</span>
import { definePlugin, html } from "rowhouse/plugin-api";

export default definePlugin({
  name: "opening-hours",
  header_items: () => html`<span>Open until six</span>`,
});
