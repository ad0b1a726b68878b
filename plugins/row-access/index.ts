import { definePlugin } from "rowhouse/plugin-api";
import { bundledHooks } from "rowhouse/plugin-api/contracts";
import { tableOpinions } from "./restrictions.js";
import { rowAccess } from "./row-access.js";

/** Decides which rows and columns of a table an actor may read: the rules of plugins, and those of derived tables. */
export default definePlugin({
  name: "row-access",
  deterministic: true,
  unguarded: true,
  provides: ["rowAccess"],
  hooks: bundledHooks.rowAccess,
  setup: (rowhouse) => rowhouse.provide("rowAccess", rowAccess(rowhouse)),
  permission_allowed_many: tableOpinions,
});
