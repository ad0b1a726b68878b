import {
  permissionChain,
  visibleItems,
  type Actor,
  type Database,
  type Permission,
  type Resource,
  type Rowhouse,
} from "rowhouse/plugin-api";
import { isOutOfService } from "rowhouse/plugin-api/errors";

/**
 * All resources of the kind that an action is about: the instance, databases, tables and views, or canned queries.
 * Databases that can't be read have no tables. Internal databases are left out, as in other lists.
 *
 * @param actor plugins may define queries for each actor
 */
export async function resourcesOf(
  rowhouse: Rowhouse,
  action: Permission,
  actor: Actor | null,
): Promise<readonly Resource[]> {
  if (!action.takes_database) return [null];
  const databases = shownDatabases(rowhouse);
  if (!action.takes_resource) return databases.map(({ name }) => name);
  const names = await Promise.all(
    databases.map((database) => namesIn(rowhouse, { database, action, actor })),
  );
  return databases.flatMap(({ name }, index) => (names[index] ?? []).map((child) => [name, child] as const));
}

interface Content {
  readonly database: Database;
  readonly action: Permission;
  readonly actor: Actor | null;
}

async function namesIn(rowhouse: Rowhouse, { database, action, actor }: Content): Promise<readonly string[]> {
  try {
    const named = isAboutQueries(action)
      ? await rowhouse.serviceIfAny("queries")?.cannedQueries(database.name, actor)
      : (await database.schema()).tables;
    return [...(named?.keys() ?? [])];
  } catch (error) {
    if (isOutOfService(error)) return [];
    throw error;
  }
}

/** Those resources that the pages of the instance and of databases list for an actor, who may view all of them. */
export async function listedResources(
  rowhouse: Rowhouse,
  action: Permission,
  actor: Actor | null,
): Promise<readonly Resource[]> {
  if (!action.takes_database) return [null];
  if (!action.takes_resource) {
    const databases = await visibleItems(rowhouse.permissions, actor, shownDatabases(rowhouse), (database) =>
      permissionChain({ database }),
    );
    return databases.map(({ name }) => name);
  }
  const listings = (await rowhouse.serviceIfAny("browse")?.listings(actor)) ?? [];
  return listings.flatMap(({ database, tables, queries }) =>
    (isAboutQueries(action) ? queries.map(({ query }) => query) : tables.map(({ table }) => table)).map(
      ({ name }) => [database.name, name] as const,
    ),
  );
}

const shownDatabases = ({ databases }: Rowhouse): readonly Database[] =>
  [...databases.values()].filter(({ internal }) => !internal);

const isAboutQueries = ({ name }: Permission): boolean => name === "view-query";
