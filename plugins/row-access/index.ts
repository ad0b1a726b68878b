import { definePlugin } from "rowhouse/plugin-api";
import { bundledHooks } from "rowhouse/plugin-api/contracts";
import { inheritSourcePermissions } from "./derived-tables.js";
import { describableTables, redacted } from "./describable.js";
import { viewable } from "./read-scopes.js";
import { readable, readableTables, withBarrier } from "./readable.js";

/** Decides which rows and columns of a table an actor may read: the rules of plugins, and those of derived tables. */
export default definePlugin({
  name: "row-access",
  deterministic: true,
  unguarded: true,
  provides: ["rowAccess"],
  hooks: bundledHooks.rowAccess,
  apply(rowhouse) {
    rowhouse.provide("rowAccess", {
      readable: async (actor, database, table) =>
        withBarrier(rowhouse, actor, database, await readable(rowhouse, actor, database, table)),
      readableMany: (actor, database, tables) => readableTables(rowhouse, { actor, database, tables }),
      describable: (actor, database, tables) => describableTables(rowhouse, { actor, database, tables }),
      async describe(actor, database, source) {
        const [only] = await redacted(rowhouse, actor, database, [source]);
        return only ?? source;
      },
      viewable: (actor, database, tables) => viewable(rowhouse, actor, database, tables),
    });
  },
  permission_allowed_many: inheritSourcePermissions,
});
