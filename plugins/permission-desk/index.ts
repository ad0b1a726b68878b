import { definePlugin } from "rowhouse/plugin-api";
import { OneNoWins } from "./desk.js";

/** Settles who may do what from what all plugins think: one no beats any number of yeses. */
export default definePlugin({
  name: "permission-desk",
  provides: ["permissionDesk"],
  apply: (rowhouse) => rowhouse.provide("permissionDesk", new OneNoWins(rowhouse)),
});
