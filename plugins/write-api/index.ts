import { definePlugin } from "rowhouse/plugin-api";
import { insertCommand } from "./command/insert-command.js";
import { writeRoutes } from "./routes.js";

/** Writing through JSON: creating tables, inserting, changing and deleting rows, dropping tables. */
export default definePlugin({
  name: "write-api",
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
      quiet: true,
    },
    {
      name: "max_insert_stream_mb",
      default: 1000,
      help: "Maximum size in MB of CSV or newline-delimited JSON that is inserted - set to 0 for no limit",
      quiet: true,
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
  register_commands: (rowhouse) => insertCommand(rowhouse),
  register_routes: () => writeRoutes,
});
