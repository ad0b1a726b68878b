import { definePlugin } from "rowhouse/plugin-api";
import { editSchema, editSchemaRoutes, mayEdit } from "./routes.js";

/** A page on which the columns of a table are renamed and added, for whoever holds `edit-schema`. */
export default definePlugin({
  name: "edit-schema",
  // It knows what other plugins hide from whom.
  requires: ["tables"],
  register_permissions: () => editSchema,
  // The permission is nobody's by default. The metadata grants it; root needs no grant.
  permission_allowed: (_rowhouse, { actor, action }) =>
    action === editSchema.name && actor?.id === "root"
      ? { allowed: true, because: "root edits schemas" }
      : null,
  register_routes: () => editSchemaRoutes,
  table_actions: async (rowhouse, { actor, database, table }) =>
    (await mayEdit(rowhouse, actor, database, table))
      ? {
          href: `${rowhouse.urls.table(database, table)}/-/edit-schema`,
          label: "Edit schema",
          description: "Rename and add columns",
        }
      : null,
});
