import { bundledHooks, definePlugin } from "rowhouse/plugin-api";

/** Owns the hook by which plugins bring commands of their own; the command line fires it. */
export default definePlugin({
  name: "commands",
  deterministic: true,
  unguarded: true,
  hooks: bundledHooks.commands,
});
