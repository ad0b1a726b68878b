import { definePlugin } from "rowhouse/plugin-api";
import { fullTextOf } from "./full-text.js";
import { searchClauses } from "./clauses.js";

/** Full-text search on table pages: `_search` and `_search_<column>`. */
export default definePlugin({
  name: "search",
  requires: ["tables"],
  optional: ["metadata"],
  filters_from_request: (rowhouse, asked) => searchClauses(rowhouse, asked),
  extend_table: async (rowhouse, { visit, selection }) => {
    const { request, actor } = visit;
    const { database, table } = selection;
    const fullText = await fullTextOf(rowhouse, { request, actor, database, table });
    if (fullText === null) return null;
    return { context: { searchable: true, search: request.query.get("_search") ?? "" } };
  },
});
