import { definePlugin } from "rowhouse/plugin-api";
import { DenyOverrides } from "./deny-overrides.js";

/** Decides permission checks from the opinions of all plugins: one denial overrides any number of grants. */
export default definePlugin({
  name: "authorization",
  deterministic: true,
  unguarded: true,
  provides: ["authorizer"],
  setup: (rowhouse) => rowhouse.provide("authorizer", new DenyOverrides(rowhouse)),
});
