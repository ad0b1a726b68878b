import type { Actor, Database, Resource, Rowhouse, Table } from "rowhouse/plugin-api";
import { tildeEncode, type TimeSlices } from "rowhouse/plugin-api/http";
import { freeName } from "rowhouse/plugin-api/names";
import {
  identifier,
  type ApiDescription,
  type Described,
  type DescribedDatabase,
  type DescribedTable,
} from "rowhouse/plugin-api/openapi";
import type { Scope } from "./scope.js";

/** For whom the API is described, and by which plugins. */
export interface Describing {
  readonly rowhouse: Rowhouse;
  readonly actor: Actor | null;
  readonly descriptions: readonly ApiDescription[];
  readonly slices: TimeSlices;
}

/** The section of the endpoints of the server itself. */
export const INSTANCE = "instance";

export async function describedInstance(describing: Describing): Promise<Described> {
  const { rowhouse, actor } = describing;
  const may = mayBy(await rightsOn(describing, [null]));
  return { rowhouse, actor, tag: INSTANCE, path: "", names: [], may };
}

/** Everything that the actor may view. Contains no names that are hidden from the actor. */
export async function describedDatabases(
  describing: Describing,
  scope: Scope,
): Promise<readonly DescribedDatabase[]> {
  const all = (await describing.rowhouse.serviceIfAny("browse")?.listings(describing.actor)) ?? [];
  const listings = all.filter(({ database }) => scope.database === null || database === scope.database);
  const schemaNames = new Set<string>();
  const described: DescribedDatabase[] = [];
  for (const { database, tables, queries } of listings) {
    const place = placeOf(describing, database);
    const seen = tables.map(({ table }) => table);
    // At the path of a table, also of a hidden one, a query of the same name is never run.
    const taken = (await database.schema()).tables;
    described.push({
      ...place,
      may: mayBy(await rightsOn(describing, [database.name])),
      tables: await describedTables(describing, place, seen, schemaNames),
      queries: queries
        .map(({ query }) => query)
        .filter(({ name, write }) => !taken.has(name) && (database.mutable || write !== true)),
    });
  }
  return described;
}

type Place = Omit<DescribedDatabase, "may" | "tables" | "queries">;

const placeOf = ({ rowhouse, actor }: Describing, database: Database): Place => ({
  rowhouse,
  actor,
  database,
  tag: database.name,
  path: `/${tildeEncode(database.name)}`,
  names: [database.name],
});

async function describedTables(
  describing: Describing,
  place: Place,
  tables: readonly Table[],
  schemaNames: Set<string>,
): Promise<readonly DescribedTable[]> {
  const { database } = place;
  const rights = await rightsOn(
    describing,
    tables.map(({ name }): Resource => [database.name, name]),
  );
  const restricted = await restrictedTables(describing, database, tables);
  const described: DescribedTable[] = [];
  for (const [index, table] of tables.entries()) {
    const schemaName = freeName(identifier(database.name, table.name), schemaNames);
    schemaNames.add(schemaName);
    const one = {
      ...place,
      table,
      restricted: restricted.has(table.name),
      path: `${place.path}/${tildeEncode(table.name)}`,
      names: [database.name, table.name],
      schemaName: (kind: string): string => `${kind}_${schemaName}`,
      may: mayBy(rights, index),
    };
    described.push({
      ...one,
      get rowParameters() {
        return describing.descriptions.flatMap(({ rowParameters }) => rowParameters?.(one) ?? []);
      },
      get documentParameters() {
        return describing.descriptions.flatMap(({ documentParameters }) => documentParameters?.(one) ?? []);
      },
    });
    await describing.slices.nextIfOver();
  }
  return described;
}

/** The names of the tables of which rows or columns are hidden from the actor. */
async function restrictedTables(
  { rowhouse, actor }: Describing,
  database: Database,
  tables: readonly Table[],
): Promise<ReadonlySet<string>> {
  const schema = await database.schema();
  // The listed tables lack the hidden columns.
  const whole = tables.flatMap(({ name }) => schema.tables.get(name) ?? []);
  const readable = await rowhouse.serviceIfAny("rowAccess")?.readableMany(actor, database, whole);
  return new Set(readable?.flatMap(({ restricted, table }) => (restricted ? [table.name] : [])));
}

/** For each permission that a description names, whether the actor has it on each of some resources. */
type Rights = ReadonlyMap<string, readonly boolean[]>;

const mayBy =
  (rights: Rights, index = 0) =>
  (action: string): boolean => {
    const answers = rights.get(action);
    if (answers === undefined) throw new TypeError(`No describe_api names ${action} in actions`);
    return answers[index] === true;
  };

/** Decides each permission for all resources at once. They are of one kind. */
async function rightsOn(
  { rowhouse, actor, descriptions, slices }: Describing,
  resources: readonly Resource[],
): Promise<Rights> {
  const rights = new Map<string, readonly boolean[]>();
  for (const action of new Set(descriptions.flatMap(({ actions = [] }) => actions))) {
    await slices.nextIfOver();
    rights.set(action, await decided(rowhouse, { actor, action, resources }));
  }
  return rights;
}

/** A permission about less than the resources, such as one about databases for tables, is decided once. */
async function decided(
  { permissions }: Rowhouse,
  { actor, action, resources }: { actor: Actor | null; action: string; resources: readonly Resource[] },
): Promise<readonly boolean[]> {
  const permission = permissions.registered.get(action);
  if (permission === undefined) return [];
  const [first = null] = resources;
  if (permission.takes_resource || first === null || typeof first === "string")
    return permissions.visible(
      actor,
      resources.map((resource) => [[action, resource]]),
    );
  const answer = await permissions.allowed(actor, action, permission.takes_database ? first[0] : null);
  return resources.map(() => answer);
}
