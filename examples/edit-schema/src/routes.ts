import type { Actor, Permission, RouteFor, Rowhouse } from "rowhouse/plugin-api";
import { changeSchema } from "./change-schema.js";
import { schemaPage } from "./schema-page.js";

/** Registered by the plugin, asked by its routes, granted by whoever runs the server. */
export const editSchema: Permission = {
  name: "edit-schema",
  abbr: "edit",
  description: "Rename and add columns of tables",
  takes_database: true,
  takes_resource: true,
  default: false,
};

const page: RouteFor<"table"> = {
  name: "edit-schema",
  path: "/:database/:resource/-/edit-schema",
  target: "table",
  // Nothing but the permission itself: in a chain the first opinion settles it.
  permissions: ({ database, table }) => [[editSchema.name, [database.name, table.name]]],
  refusal: "You do not have permission to edit this schema",
  view: schemaPage,
};

export const editSchemaRoutes = [
  page,
  { ...page, name: "change-schema", method: "POST", view: changeSchema },
] as const;

/** Decides about the link; the route decides for itself. */
export const mayEdit = (
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: string,
  table: string,
): Promise<boolean> => rowhouse.permissions.allowed(actor, editSchema.name, [database, table]);
