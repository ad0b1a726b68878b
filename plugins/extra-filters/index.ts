import { definePlugin } from "rowhouse/plugin-api";
import { throughClauses } from "./through.js";
import { extraWheres, whereClauses } from "./where.js";

/** Conditions beyond `column=value`: raw SQL (`_where`) and rows of another table that point here (`_through`). */
export default definePlugin({
  name: "extra-filters",
  requires: ["confinement", "tables"],
  filters_from_request: async (rowhouse, asked) => [
    ...(await whereClauses(rowhouse, asked)),
    ...(await throughClauses(rowhouse, asked)),
  ],
  extend_table: (rowhouse, { visit }) => {
    const fragments = extraWheres(rowhouse, visit.request);
    return fragments.length === 0 ? null : { context: { extraWheres: fragments } };
  },
});
