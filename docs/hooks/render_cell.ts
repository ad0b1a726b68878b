// Shows prices in euro. Other cells are not changed.
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
