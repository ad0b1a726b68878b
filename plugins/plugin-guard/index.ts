import { definePlugin } from "rowhouse/plugin-api";
import { pluginOf } from "./attribution.js";
import { guard } from "./guard.js";

/** Enforces time limits and valid results of hook functions, and adds the name of the plugin to errors. */
export default definePlugin({
  name: "plugin-guard",
  deterministic: true,
  unguarded: true,
  provides: ["pluginGuard"],
  settings: [
    {
      name: "hook_time_limit_ms",
      default: 5000,
      help: "Time limit for one answer of an installed plugin, at start twelve times as long; 0 is no limit",
      unlisted: true,
    },
    {
      name: "view_time_limit_ms",
      default: 60_000,
      help: "Time limit until a page of an installed plugin, or its output format, begins to answer; 0 is no limit",
      unlisted: true,
    },
  ],
  wrapHook: guard,
  apply: (rowhouse) => rowhouse.provide("pluginGuard", { pluginOf }),
});
