import { permissionChain, visibleItems } from "rowhouse/plugin-api";
import type { Actor, Database, Rowhouse } from "rowhouse/plugin-api";

/** A database that a token can be restricted to, with the tables and views in it. */
export interface GrantableDatabase {
  readonly name: string;
  readonly tables: readonly string[];
}

/** The databases, tables and views that an actor may see, to restrict a token to. */
export async function grantableDatabases(
  rowhouse: Rowhouse,
  actor: Actor,
): Promise<readonly GrantableDatabase[]> {
  const databases = [...rowhouse.databases.values()].filter(({ internal, memory }) => !internal && !memory);
  const shown = await visibleItems(rowhouse.permissions, actor, databases, (database) =>
    permissionChain({ database }),
  );
  return Promise.all(
    shown.map(async (database) => ({
      name: database.name,
      tables: await grantableTables(rowhouse, actor, database),
    })),
  );
}

async function grantableTables(rowhouse: Rowhouse, actor: Actor, database: Database): Promise<string[]> {
  const { tables } = await database.schema();
  const isHidden = rowhouse.serviceIfAny("tables")?.isHidden ?? (() => false);
  const listed = [...tables.values()].filter(
    (table) => table.kind !== "shadow" && !isHidden(database.name, table),
  );
  const shown = await visibleItems(rowhouse.permissions, actor, listed, (table) =>
    permissionChain({ database, table }),
  );
  return shown.map(({ name }) => name);
}
