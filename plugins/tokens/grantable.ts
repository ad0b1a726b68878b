import type { Actor, Chain, Database, Rowhouse } from "rowhouse/plugin-api";

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
  const shown = await rowhouse.visibleAmong(actor, databases, ({ name }) => databaseChain(name));
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
  const shown = await rowhouse.visibleAmong(actor, listed, ({ name }) => [
    ["view-table", [database.name, name]],
    ...databaseChain(database.name),
  ]);
  return shown.map(({ name }) => name);
}

const databaseChain = (database: string): Chain => [
  ["view-database", database],
  ["view-instance", null],
];
