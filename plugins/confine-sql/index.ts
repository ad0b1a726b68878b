import { definePlugin } from "rowhouse/plugin-api";
import { bundledSettings } from "rowhouse/plugin-api/contracts";
import { readAllowlist, queryAllowlist } from "./read-allowlist.js";
import { inheritTablePermissions } from "./view-grants.js";

/** With the setting `confine_sql`, SQL can read only tables and views that its actor may view. */
export default definePlugin({
  name: "confine-sql",
  deterministic: true,
  unguarded: true,
  provides: ["confinement"],
  requires: ["rowAccess"],
  optional: ["metadata"],
  settings: bundledSettings.confineSql,
  setup(rowhouse) {
    rowhouse.provide("confinement", {
      of: async (actor, database) => readAllowlist(rowhouse, actor, database),
      ofQuery: (actor, database, query) => queryAllowlist(rowhouse, { actor, database, query }),
    });
    if (!rowhouse.setting("confine_sql")) return {};
    return {
      permission_allowed_many: (_rowhouse, { resources, ...check }) => {
        const opinions = resources.map((resource) =>
          inheritTablePermissions(rowhouse, { ...check, resource }),
        );
        return opinions.every((opinion) => opinion === null) ? null : Promise.all(opinions);
      },
    };
  },
});
