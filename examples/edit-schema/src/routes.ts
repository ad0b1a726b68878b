import type { Actor, Permission, RouteFor, Rowhouse } from "rowhouse/plugin-api";
import { changeSchema } from "./change-schema.js";
import { schemaPage } from "./schema-page.js";

/** The permission that the routes require. The operator grants it in the metadata. */
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
  // Only this permission: in a longer chain, the first permission with an opinion decides.
  permissions: ({ database, table }) => [[editSchema.name, [database.name, table.name]]],
  refusal: "You do not have permission to edit this schema",
  view: schemaPage,
};

export const editSchemaRoutes = [
  page,
  { ...page, name: "change-schema", method: "POST", view: changeSchema },
] as const;

/** True if the menu shows the link. The route checks the permission again. */
export const mayEdit = (
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: string,
  table: string,
): Promise<boolean> => rowhouse.permissions.allowed(actor, editSchema.name, [database, table]);
