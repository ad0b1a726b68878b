import { definePlugin } from "rowhouse/plugin-api";
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
  settings: [
    {
      name: "max_insert_rows",
      default: 100,
      help: "Maximum rows that can be inserted at a time using the bulk insert API",
    },
    {
      name: "max_batch_operations",
      default: 100,
      help: "Maximum operations in one request to /-/batch",
      unlisted: true,
    },
    {
      name: "max_insert_stream_mb",
      default: 1000,
      help: "Maximum size in MB of CSV or newline-delimited JSON that is inserted - set to 0 for no limit",
      unlisted: true,
    },
    {
      name: "idempotency_key_hours",
      default: 24,
      help: "Hours for which a repeated Idempotency-Key gets the reply of the first request",
      unlisted: true,
    },
  ],
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
