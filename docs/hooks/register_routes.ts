// Adds a page with a path of its own. `target: "database"` finds the database, or answers 404.
// Try: GET /library/-/size
// Says: library has
// Try: GET /nothing/-/size
// Status: 404
import { definePlugin, reply } from "rowhouse/plugin-api";

export default definePlugin({
  name: "size",
  register_routes: () => ({
    name: "size",
    path: "/:database/-/size",
    target: "database",
    permissions: ({ database }) => [["view-database", database.name]],
    view: async ({ target: { database } }) => {
      const { sizeBytes } = await database.describe();
      return reply.text(`${database.name} has ${sizeBytes} bytes`);
    },
  }),
});
