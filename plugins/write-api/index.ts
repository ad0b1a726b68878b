import { definePlugin } from "rowhouse/plugin-api";
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
  ],
  register_routes: () => writeRoutes,
});
