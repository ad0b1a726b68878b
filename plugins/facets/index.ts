import { bundledHooks, definePlugin } from "rowhouse/plugin-api";
import { arrayFacet } from "./array.js";
import { columnFacet } from "./column.js";
import { dateFacet } from "./date.js";
import { extendWithFacets } from "./table-facets.js";

/** Facets of table pages: the most frequent values of columns, days and array elements, and which to try. */
export default definePlugin({
  name: "facets",
  deterministic: true,
  unguarded: true,
  requires: ["tables"],
  optional: ["metadata"],
  hooks: bundledHooks.facets,
  settings: [
    { name: "default_facet_size", default: 30, help: "Number of values to return for requested facets" },
    { name: "facet_time_limit_ms", default: 200, help: "Time limit for calculating a requested facet" },
    {
      name: "facet_suggest_time_limit_ms",
      default: 50,
      help: "Time limit for calculating a suggested facet",
    },
    {
      name: "allow_facet",
      default: true,
      help: "Allow users to specify columns to facet using ?_facet= parameter",
    },
    { name: "suggest_facets", default: true, help: "Calculate and display suggested facets" },
  ],
  // In the order of facets on a page.
  register_facet_classes: () => [columnFacet, dateFacet, arrayFacet],
  extend_table: (rowhouse, page) => extendWithFacets(rowhouse, page),
});
