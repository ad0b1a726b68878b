import { definePlugin } from "rowhouse/plugin-api";
import { throughClauses } from "./through.js";
import { extraWheres, whereClauses } from "./where.js";

/** Conditions beyond `column=value`: raw SQL (`_where`) and rows of another table that point here (`_through`). */
export default definePlugin({
  name: "extra-filters",
  deterministic: true,
  unguarded: true,
  requires: ["confinement", "rowAccess"],
  async filters_from_request(rowhouse, table) {
    const { query } = table.request;
    return [
      ...(query.has("_where") ? await whereClauses(rowhouse, table) : []),
      ...(query.has("_through") ? await throughClauses(rowhouse, table) : []),
    ];
  },
  extend_table: (rowhouse, { visit: { request } }) =>
    request.query.has("_where") ? { context: { extraWheres: extraWheres(rowhouse, request) } } : null,
});
