import { definePlugin } from "rowhouse/plugin-api";
import { DenyOverrides } from "./deny-overrides.js";

/** Settles who may do what from what all plugins think: one no beats any number of yeses. */
export default definePlugin({
  name: "authorization",
  provides: ["authorizer"],
  apply: (rowhouse) => rowhouse.provide("authorizer", new DenyOverrides(rowhouse)),
});
