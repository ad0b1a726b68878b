import { definePlugin } from "rowhouse/plugin-api";
import { bundledSettings } from "rowhouse/plugin-api/contracts";
import { pluginOf } from "./attribution.js";
import { guard } from "./guard.js";
import { warnOfUnknownActions } from "./unknown-permissions.js";

/** Enforces time limits and valid results of hook functions, and adds the name of the plugin to errors. */
export default definePlugin({
  name: "plugin-guard",
  deterministic: true,
  unguarded: true,
  provides: ["pluginGuard"],
  settings: bundledSettings.pluginGuard,
  wrapHook: guard,
  startup: warnOfUnknownActions,
  setup: (rowhouse) => rowhouse.provide("pluginGuard", { pluginOf }),
});
