import { definePlugin } from "rowhouse/plugin-api";
import { editSchema, editSchemaRoutes, mayEdit } from "./routes.js";

/** A page that renames and adds columns of a table, for actors with the permission `edit-schema`. */
export default definePlugin({
  name: "edit-schema",
  // A table with hidden rows or columns must not be edited.
  requires: ["tables"],
  register_permissions: () => editSchema,
  // The permission is denied by default. The metadata can grant it to actors; root has it without a grant.
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
