import { definePlugin } from "rowhouse/plugin-api";
import { bundledHooks, bundledSettings } from "rowhouse/plugin-api/contracts";
import { arrayFacet } from "./array.js";
import { columnFacet } from "./column.js";
import { dateFacet } from "./date.js";
import { facetExtender } from "./table-facets.js";

/** Facets of table pages: the most frequent values of columns, days and array elements, and which to try. */
export default definePlugin({
  name: "facets",
  deterministic: true,
  unguarded: true,
  requires: ["tables"],
  optional: ["metadata"],
  hooks: bundledHooks.facets,
  settings: bundledSettings.facets,
  // In the order of facets on a page.
  register_facet_classes: () => [columnFacet, dateFacet, arrayFacet],
  setup: (rowhouse) => ({ extend_table: facetExtender(rowhouse) }),
  // A wrong kind is logged at the start and not by the first page. Others may need what their own `startup` makes.
  startup: {
    order: "last",
    run: async (rowhouse) => void (await rowhouse.hooks.register_facet_classes.promise([], rowhouse, {})),
  },
  describe_api: async (rowhouse) => {
    const { facetsApi } = await import("./openapi.js");
    const classes = await rowhouse.hooks.register_facet_classes.promise([], rowhouse, {});
    return facetsApi(classes.map(({ type }) => type));
  },
});
