import { definePlugin } from "rowhouse/plugin-api";
import { bundledSettings } from "rowhouse/plugin-api/contracts";
import { checkBlocks, warnOfMisspeltKeys, warnOfUnknownActions } from "./check-blocks.js";
import { concealAbsence, concealKind } from "./concealment.js";
import { coreOpinions } from "./core-opinions.js";
import { denyByDefault, permissionRecords, texts } from "./records.js";

/** The stage of tapable after plugins that can still answer for a name, and before functions with `order: "late"`. */
const AFTER_OTHERS = 0.5;

/** The core permissions, the grants of root, and the `allow` and `permissions` blocks of the metadata. */
export default definePlugin({
  name: "permissions",
  deterministic: true,
  unguarded: true,
  requires: ["metadata"],
  optional: ["queries"],
  settings: bundledSettings.permissions,
  setup(rowhouse) {
    rowhouse.hooks.handle_exception.tapPromise(
      { name: "permissions", stage: AFTER_OTHERS },
      async (reply, _rowhouse, failed) =>
        reply ?? (rowhouse.setting("conceal_missing") ? await concealAbsence(rowhouse, failed) : null),
    );
    if (rowhouse.option("defaultDeny") === true) {
      // Runs last, so that permissions of other plugins are denied by default too.
      rowhouse.hooks.register_permissions.tapPromise(
        { name: "permissions", stage: Number.MAX_SAFE_INTEGER },
        async (permissions) => denyByDefault(permissions),
      );
    }
    return { permission_allowed_many: coreOpinions(rowhouse) };
  },
  register_texts: () => texts,
  register_permissions: (rowhouse) => permissionRecords(rowhouse.setting("default_allow_sql")),
  startup: (rowhouse) => {
    const metadata = rowhouse.service("metadata").current();
    checkBlocks(metadata);
    warnOfUnknownActions(rowhouse, metadata);
    warnOfMisspeltKeys(rowhouse, metadata);
  },
  forbidden: {
    order: "early",
    run: (rowhouse, refused) => (rowhouse.setting("conceal_missing") ? concealKind(rowhouse, refused) : null),
  },
});
