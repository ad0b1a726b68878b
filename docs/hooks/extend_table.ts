// Adds the total price of the matching rows to the JSON document and to templates.
// Try: GET /library/books.json?year__gt=1900
// Says: "total_price": 35.0
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "total",
  extend_table: async (_rowhouse, { visit, selection }) => {
    if (!selection.columns.includes("price")) return null;
    const { rows } = await visit.target.database.read(
      `select sum(price) ${selection.fromWhere}`,
      selection.params,
      { trust: selection.untrusted ? "untrusted" : "trusted" },
    );
    return { data: { total_price: rows[0]?.[0] ?? null } };
  },
});
