import { definePlugin } from "rowhouse/plugin-api";
import { checkConfig } from "./config.js";
import { scopeOf } from "./scope.js";

/** Who sees which rows and columns, by the configuration of each table. */
export default definePlugin({
  name: "row-owners",
  startup: checkConfig,
  read_scope: (rowhouse, { actor, database, tables }) =>
    Promise.all(tables.map((table) => scopeOf(rowhouse, { actor, database, table }))).then((scopes) =>
      scopes.filter((scope) => scope !== null),
    ),
});
