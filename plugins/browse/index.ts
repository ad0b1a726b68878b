import { definePlugin, permissionChain, type RouteFor } from "rowhouse/plugin-api";
import { databaseView } from "./database-view.js";
import { indexView } from "./index-view.js";
import { listedTables, listings } from "./listings.js";

const instancePage: RouteFor<"instance"> = {
  name: "index",
  path: "/{.:format}",
  target: "instance",
  permissions: permissionChain,
  view: indexView,
};

const databasePage: RouteFor<"database"> = {
  name: "database",
  path: "/:database{.:format}",
  target: "database",
  permissions: permissionChain,
  refusal: "You do not have permission to view this database",
  view: databaseView,
};

/** The lists of databases, and of the tables, views and queries in each. */
export default definePlugin({
  name: "browse",
  deterministic: true,
  unguarded: true,
  provides: ["browse"],
  requires: ["rowAccess", "tables"],
  optional: ["downloads", "metadata", "queries"],
  setup: (rowhouse) =>
    rowhouse.provide("browse", {
      listings: (actor) => listings(rowhouse, actor),
      tables: (actor, database) => listedTables(rowhouse, actor, database),
    }),
  register_routes: () => [instancePage, databasePage],
  describe_api: async () => (await import("./openapi.js")).api,
});
