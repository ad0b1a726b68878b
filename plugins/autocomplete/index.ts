import { definePlugin, defineRoute, permissionChain } from "rowhouse/plugin-api";
import { bundledSettings } from "rowhouse/plugin-api/contracts";
import { autocompleteView } from "./autocomplete-view.js";

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
  optional: ["search"],
  settings: bundledSettings.autocomplete,
  register_routes: () => [autocompleteRoute],
});
