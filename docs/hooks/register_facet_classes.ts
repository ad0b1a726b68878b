// A facet by century, requested with `_facet_century=year`.
// Try: GET /library/books.json?_facet_century=year&_size=0
// Says: "label": "19th century", "count": 5
import { definePlugin, quoteIdentifier } from "rowhouse/plugin-api";

export default definePlugin({
  name: "centuries",
  register_facet_classes: () => ({
    type: "century",
    values: async ({ visit, selection, column, size, timeLimitMs }) => {
      const century = `${quoteIdentifier(column)} / 100`;
      const { rows } = await visit.target.database.read(
        `select ${century}, count(*) ${selection.fromWhere} group by 1 order by 2 desc limit ${size + 1}`,
        selection.params,
        { timeLimitMs, trust: selection.untrusted ? "untrusted" : "trusted" },
      );
      return rows.map(([value = null, count = 0]) => ({
        value,
        label: `${Number(value) + 1}th century`,
        count: Number(count),
        argument: [`${column}__glob`, `${String(value)}*`],
      }));
    },
    suggest: async () => [],
  }),
});
