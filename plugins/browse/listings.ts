import { permissionChain, type Actor, type Database, type Rowhouse } from "rowhouse/plugin-api";
import { isOutOfService } from "rowhouse/plugin-api/errors";
import type { Listing } from "rowhouse/plugin-api/contracts";
import {
  privateNames,
  visibleContents,
  visibleDatabases,
  visibleQueries,
  type VisibleDatabase,
} from "./contents.js";

/** All databases, tables, views and canned queries that an actor may view, without databases that can't be read. */
export async function listings(rowhouse: Rowhouse, actor: Actor | null): Promise<readonly Listing[]> {
  const databases = await visibleDatabases(rowhouse, actor);
  const found = await Promise.all(databases.map((one) => listingOrNull(rowhouse, actor, one)));
  return found.filter((one) => one !== null);
}

async function listingOrNull(
  rowhouse: Rowhouse,
  actor: Actor | null,
  one: VisibleDatabase,
): Promise<Listing | null> {
  try {
    return await listing(rowhouse, actor, one);
  } catch (error) {
    if (isOutOfService(error)) return null;
    throw error;
  }
}

async function listing(rowhouse: Rowhouse, actor: Actor | null, one: VisibleDatabase): Promise<Listing> {
  const { database } = one;
  const [tables, queries] = await Promise.all([
    listedTables(rowhouse, actor, database),
    visibleQueries(rowhouse, { actor, database }),
  ]);
  return { ...one, tables, queries };
}

/** The tables and views of a database that an actor may view, without those kept out of listings. */
export async function listedTables(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: Database,
): Promise<Listing["tables"]> {
  const listed = {
    actor,
    database,
    chainOf: (table: string) => permissionChain({ database, table }),
  };
  const contents = await visibleContents(rowhouse, listed);
  const unlisted = new Set(
    contents.tables
      .filter(({ table, hidden }) => hidden || table.kind === "shadow")
      .map(({ table }) => table.name),
  );
  const tables = [...contents.shown.values()].filter(({ name }) => !unlisted.has(name));
  const hiddenFromAnonymous = await privateNames(
    rowhouse,
    listed,
    tables.map(({ name }) => name),
  );
  return tables.map((table) => ({ table, private: hiddenFromAnonymous.has(table.name) }));
}
