import { definePlugin } from "rowhouse/plugin-api";
import { bundledHooks } from "rowhouse/plugin-api/contracts";

/** Owns the hook by which plugins bring commands of their own; the command line fires it. */
export default definePlugin({
  name: "commands",
  deterministic: true,
  unguarded: true,
  hooks: bundledHooks.commands,
});
