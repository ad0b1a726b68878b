import { Forbidden, permissionChain, type Visit } from "rowhouse/plugin-api";
import { ReadOnlyDatabase } from "rowhouse/plugin-api/errors";
import type { TargetOf } from "rowhouse/plugin-api/http";

/**
 * The table of a visit, if the actor can edit its schema.
 *
 * @throws Forbidden if a part of the table is hidden from the actor, ReadOnlyDatabase if the database is immutable
 */
export async function editable({ rowhouse, actor, target }: Visit<"table">): Promise<TargetOf<"table">> {
  const { database, table, source } = target;
  await rowhouse.permissions.require(actor, permissionChain({ database, table }));
  // Other plugins may hide rows and columns. An actor must not rename a hidden column.
  if (source.restricted) throw new Forbidden("A part of this table is hidden from you");
  if (table.kind !== "table") throw new Forbidden("Only the schema of a table can be edited");
  if (!database.mutable) throw new ReadOnlyDatabase();
  return target;
}
