// Prices in euro; all other cells are left to others.
// Try: GET /library/books/1
// Says: € 9.50
import { definePlugin, html } from "rowhouse/plugin-api";

export default definePlugin({
  name: "prices",
  render_cell: (_rowhouse, { column, value }) => {
    if (column !== "price" || value === null) return null;
    return html`<b>€ ${Number(value).toFixed(2)}</b>`;
  },
});
