import type { Actor, Database, Rowhouse, Table } from "rowhouse/plugin-api";
import { TimeSlices } from "rowhouse/plugin-api/http";
import { acceptsWrites, findsTables } from "rowhouse/plugin-api/engine";
import type { CannedQuery } from "rowhouse/plugin-api/contracts";

/** Actions on a table besides reading. */
export type TableAction = (typeof TABLE_ACTIONS)[number];
const TABLE_ACTIONS = ["insert-row", "update-row", "delete-row", "alter-table", "drop-table"] as const;

export interface VisibleTable {
  readonly table: Table;
  readonly actions: ReadonlySet<TableAction>;
  readonly maySaveViews: boolean;
}

/** A database with the tables that the actor may view, and the allowed actions. */
export interface VisibleDatabase {
  readonly name: string;
  readonly tables: readonly VisibleTable[];
  readonly queries: readonly CannedQuery[];
  readonly mayRunSql: boolean;
  readonly mayCreate: boolean;
  readonly mayWriteBySql: boolean;
  /** False if the engine alters tables by statements, which do not reorder columns. */
  readonly reordersColumns: boolean;
}

/** Everything that an actor may view. Contains no names that are hidden from the actor. */
export async function catalogueFor(
  rowhouse: Rowhouse,
  actor: Actor | null,
): Promise<readonly VisibleDatabase[]> {
  const listings = (await rowhouse.serviceIfAny("browse")?.listings(actor)) ?? [];
  return Promise.all(
    listings.map(async ({ database, tables, queries }) => {
      const { name, mutable } = database;
      const seen = tables.map(({ table }) => table);
      const [mayRunSql, mayCreate, mayWriteBySql] = await Promise.all([
        rowhouse.permissions.allowed(actor, "execute-sql", name),
        mutable && rowhouse.permissions.allowed(actor, "create-table", name),
        mutable && mayWriteBySqlOn(rowhouse, actor, database),
      ]);
      const actions = mutable ? await actionsOn(rowhouse, actor, name, seen) : seen.map(() => NONE);
      const saving = await savingOn(rowhouse, actor, name, seen);
      return {
        name,
        tables: seen.map((table, place) => ({
          table,
          actions: actions[place] ?? NONE,
          maySaveViews: saving[place] === true,
        })),
        queries: queries.map(({ query }) => query).filter(({ write }) => mutable || write !== true),
        mayRunSql,
        mayCreate,
        mayWriteBySql,
        reordersColumns: database.dialect.definitions.alter === "rebuild",
      };
    }),
  );
}

const mayWriteBySqlOn = async (
  { permissions }: Rowhouse,
  actor: Actor | null,
  database: Database,
): Promise<boolean> =>
  (await permissions.allowed(actor, "execute-write-sql", database.name)) && findsTables(database);

const NONE: ReadonlySet<TableAction> = new Set();

/** Whether the actor may save views of tables. Views have an owner, so that it needs an id. */
async function savingOn(
  { permissions }: Rowhouse,
  actor: Actor | null,
  database: string,
  tables: readonly Table[],
): Promise<readonly boolean[]> {
  if (!hasId(actor)) return [];
  return permissions.visible(
    actor,
    tables.map(({ name }) => [["save-view", [database, name]]]),
  );
}

/** Whether the actor may save dashboards, which have an owner too. */
export const maySaveDashboards = async ({ permissions }: Rowhouse, actor: Actor | null): Promise<boolean> =>
  hasId(actor) && permissions.allowed(actor, "save-view");

const hasId = (actor: Actor | null): boolean => (actor?.id ?? null) !== null;

async function actionsOn(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: string,
  tables: readonly Table[],
): Promise<readonly ReadonlySet<TableAction>[]> {
  const resources = tables.map(({ name }): [string, string] => [database, name]);
  const slices = new TimeSlices();
  const answers: boolean[][] = [];
  for (const action of TABLE_ACTIONS) {
    await slices.nextIfOver();
    answers.push(
      await rowhouse.permissions.visible(
        actor,
        resources.map((resource) => [[action, resource]]),
      ),
    );
  }
  await slices.nextIfOver();
  return tables.map((table, place) =>
    acceptsWrites(table) ? new Set(TABLE_ACTIONS.filter((_, which) => answers[which]?.[place])) : NONE,
  );
}
