import { bundledSettings, definePlugin } from "rowhouse/plugin-api";
import type { Actor, Rowhouse } from "rowhouse/plugin-api";
import { auditLog } from "./log.js";
import { auditPage } from "./page.js";

const PERMISSION = "view-audit-log";

/** The log needs a file: in memory it would be lost with the process. */
const isKept = (rowhouse: Rowhouse): boolean => rowhouse.option("internal") !== undefined;

/** Writes all changes with their actor to the file of `--internal`, and shows them at `/-/audit`. */
export default definePlugin({
  name: "audit",
  deterministic: true,
  unguarded: true,
  // Without events the log would be empty.
  requires: ["events"],
  settings: bundledSettings.audit,
  register_permissions: (rowhouse) =>
    isKept(rowhouse)
      ? {
          name: PERMISSION,
          abbr: "val",
          description: "View the log of changes",
          takes_database: false,
          takes_resource: false,
          default: false,
        }
      : null,
  permission_allowed_many: (_rowhouse, { actor, action, resources }) =>
    action === PERMISSION && isRoot(actor) ? resources.map(() => true) : null,
  startup: async (rowhouse) => {
    if (isKept(rowhouse)) await auditLog(rowhouse).open();
  },
  track_event: async (rowhouse, { event }) => {
    if (isKept(rowhouse)) await auditLog(rowhouse).add(event);
  },
  shutdown: async (rowhouse) => {
    if (isKept(rowhouse)) await auditLog(rowhouse).flush();
  },
  register_routes: (rowhouse) =>
    isKept(rowhouse)
      ? {
          name: "audit",
          path: "/-/audit{.:format}",
          target: "instance",
          permissions: () => [
            [PERMISSION, null],
            ["view-instance", null],
          ],
          view: auditPage,
        }
      : null,
  menu_links: async (rowhouse, { actor }) =>
    isKept(rowhouse) && (await rowhouse.permissions.allowed(actor, PERMISSION))
      ? { label: "Log of changes", href: rowhouse.urls.path("/-/audit") }
      : null,
});

const isRoot = (actor: Actor | null): boolean => actor?.id === "root";
