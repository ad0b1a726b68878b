import { definePlugin } from "rowhouse/plugin-api";
import { bundledSettings } from "rowhouse/plugin-api/contracts";
import { DenyOverrides } from "./deny-overrides.js";
import { restrictedOpinions } from "./restrictions.js";
import { checkAfterSlowBody } from "./slow-bodies.js";

/**
 * Decides permission checks from the opinions of all plugins: one denial overrides any number of grants. Denies
 * restricted actors everything that is not listed for them, whichever plugin they come from.
 */
export default definePlugin({
  name: "authorization",
  deterministic: true,
  unguarded: true,
  provides: ["authorizer"],
  settings: bundledSettings.authorization,
  setup: (rowhouse) => rowhouse.provide("authorizer", new DenyOverrides(rowhouse)),
  permission_allowed_many: restrictedOpinions,
  before_view: checkAfterSlowBody,
});
