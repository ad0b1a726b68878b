import { definePlugin, NotFound, permissionChain, type Permission, type RouteFor } from "rowhouse/plugin-api";
import { isRoot } from "rowhouse/plugin-api/access";
import { bundledSettings } from "rowhouse/plugin-api/contracts";
import { AuditLog } from "./log.js";
import { auditPage } from "./page.js";
import { permissionTexts } from "rowhouse/plugin-api/html";
import { texts, tOf } from "./texts.js";

const PERMISSION = "view-audit-log";

/** Writes all changes with their actor to the file of `--internal`, and shows them at `/-/audit`. */
export default definePlugin({
  name: "audit",
  deterministic: true,
  unguarded: true,
  register_texts: () => [...texts, ...permissionWordings],
  // Without events the log would be empty.
  requires: ["events"],
  settings: bundledSettings.audit,
  setup(rowhouse) {
    // The log needs a file: in memory it would be lost with the process.
    if (rowhouse.option("internal") === undefined) return { register_routes: () => absentLog };
    const log = new AuditLog(rowhouse);
    return {
      register_permissions: () => permission,
      permission_allowed_many: {
        only: { actions: [PERMISSION] },
        run: (_rowhouse, { actor, resources }) => (isRoot(actor) ? resources.map(() => true) : null),
      },
      startup: () => log.open(),
      track_event: (_rowhouse, { event }) => log.add(event),
      shutdown: () => log.flush(),
      register_routes: () => auditRoute(log),
      describe_api: async () => (await import("./openapi.js")).api,
      menu_links: async (_rowhouse, { request, actor }) =>
        (await rowhouse.permissions.allowed(actor, PERMISSION))
          ? { label: tOf({ rowhouse, request })("audit.link"), href: rowhouse.urls.path("/-/audit") }
          : null,
    };
  },
});

const permission: Permission = {
  name: PERMISSION,
  abbr: "val",
  description: "View the log of changes",
  takes_database: false,
  takes_resource: false,
  default: false,
};

const permissionWordings = permissionTexts([permission], {
  de: { [PERMISSION]: "Protokoll der Änderungen ansehen" },
});

const auditRoute = (log: AuditLog): RouteFor<"instance"> => ({
  name: "audit",
  path: "/-/audit{.:format}",
  target: "instance",
  permissions: () => [[PERMISSION, null]],
  refusal: `Permission denied: need ${PERMISSION}`,
  view: (visit) => auditPage(log, visit),
});

const absentLog: RouteFor<"instance"> = {
  name: "audit",
  path: "/-/audit{.:format}",
  target: "instance",
  permissions: permissionChain,
  view: () =>
    Promise.reject(new NotFound("There is no log of changes: start the server with --internal to keep one")),
};
