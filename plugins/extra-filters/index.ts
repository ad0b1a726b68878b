import { definePlugin } from "rowhouse/plugin-api";
import { throughClauses } from "./through.js";
import { whereClauses } from "./where.js";

/** Conditions beyond `column=value`: raw SQL (`_where`) and rows of another table that point here (`_through`). */
export default definePlugin({
  name: "extra-filters",
  deterministic: true,
  unguarded: true,
  requires: ["confinement", "rowAccess"],
  filters_from_request: {
    only: { arguments: ["_where", "_through"] },
    run: async (rowhouse, table) => [
      ...(table.request.query.has("_where") ? await whereClauses(rowhouse, table) : []),
      ...(await throughClauses(rowhouse, table)),
    ],
  },
  describe_api: async () => (await import("./openapi.js")).api,
});
