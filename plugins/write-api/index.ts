import { bundledSettings, definePlugin } from "rowhouse/plugin-api";
import { insertCommand } from "./command/insert-command.js";
import { findRequestedVersion, withVersionTag } from "./conditional/row-version.js";
import { denyReplyStore } from "./idempotency/idempotency-store.js";
import { columnTypeRoute, writeRoutes } from "./routes.js";

/** The JSON API for writes: creates, alters and drops tables, and inserts, updates and deletes rows. */
export default definePlugin({
  name: "write-api",
  deterministic: true,
  unguarded: true,
  requires: ["tables"],
  optional: ["columnTypes", "events"],
  settings: bundledSettings.writeApi,
  register_permissions: () => [
    {
      name: "alter-table",
      abbr: "at",
      description: "Alter tables",
      takes_database: true,
      takes_resource: true,
      default: false,
    },
  ],
  permission_allowed_many: (_rowhouse, { actor, action, resources }) =>
    action === "view-table" ? resources.map((resource) => denyReplyStore({ actor, action, resource })) : null,
  before_view: (rowhouse, { visit }) => findRequestedVersion(rowhouse, visit),
  // Runs after `http-cache` has set the entity tag of the page, and replaces it with the tag of the row.
  finish_reply: { order: "late", run: (_rowhouse, { request, value }) => withVersionTag(request, value) },
  register_commands: (rowhouse) => insertCommand(rowhouse),
  register_routes: (rowhouse) =>
    rowhouse.serviceIfAny("columnTypes") === null ? writeRoutes : [...writeRoutes, columnTypeRoute],
});
