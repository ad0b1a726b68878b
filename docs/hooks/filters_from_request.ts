// Adds the argument `_decade` to all tables with a column `year`. Pages of rows have a link that removes it.
// Try: GET /library/books.json?_shape=arrayfirst&_decade=1810
// Says: [1, 2, 3, 4]
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "decade",
  filters_from_request: (_rowhouse, { request, table }) => {
    const decade = request.query.get("_decade");
    if (decade === null || !table.columns.some(({ name }) => name === "year")) return null;
    return {
      where: '"year" / 10 * 10 = :decade',
      params: { decade: Number(decade) },
      description: `from the ${decade}s`,
      argument: ["_decade", decade],
    };
  },
});
