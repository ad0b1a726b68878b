import { definePlugin, defineRoute, permissionChain } from "rowhouse/plugin-api";
import { bundledSettings } from "rowhouse/plugin-api/contracts";
import { autocompleteView } from "./autocomplete-view.js";
import { RowPlaces } from "./jump-rows.js";

const autocompleteRoute = defineRoute({
  name: "autocomplete",
  path: "/:database/:resource/-/autocomplete{.:format}",
  target: "table",
  permissions: permissionChain,
  refusal: "You do not have permission to view this table",
  view: autocompleteView,
});

/** Completes what is typed: rows by their labels, or values of a column. Forms use it to offer references. */
export default definePlugin({
  name: "autocomplete",
  deterministic: true,
  unguarded: true,
  requires: ["tables"],
  optional: ["browse", "search"],
  settings: bundledSettings.autocomplete,
  setup(rowhouse) {
    const rows = new RowPlaces(rowhouse, autocompleteRoute);
    return { jump_items: (_rowhouse, asking) => rows.of(asking) };
  },
  register_routes: () => [autocompleteRoute],
  describe_api: async () => (await import("./openapi.js")).api,
});
