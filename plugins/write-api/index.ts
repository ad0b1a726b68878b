import { definePlugin } from "rowhouse/plugin-api";
import { insertCommand } from "./command/insert-command.js";
import { noteVersion, withVersion } from "./conditional/row-version.js";
import { closed } from "./idempotency/idempotency-store.js";
import { columnTypeRoute, writeRoutes } from "./routes.js";

/** Writing through JSON: creating tables, inserting, changing and deleting rows, dropping tables. */
export default definePlugin({
  name: "write-api",
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
      help: "Hours for which a request with a known Idempotency-Key is answered as the first one was",
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
    action === "view-table" ? resources.map((resource) => closed({ actor, action, resource })) : null,
  before_view: (rowhouse, { visit }) => noteVersion(rowhouse, visit),
  // After the tag of the page, which moves with every change of the database.
  finish_reply: { order: "late", run: (_rowhouse, { request, value }) => withVersion(request, value) },
  register_commands: (rowhouse) => insertCommand(rowhouse),
  register_routes: (rowhouse) =>
    rowhouse.serviceIfAny("columnTypes") === null ? writeRoutes : [...writeRoutes, columnTypeRoute],
});
