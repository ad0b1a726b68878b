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
      return {
        name,
        tables: mutable
          ? await withActions(rowhouse, actor, name, seen)
          : seen.map((table) => ({ table, actions: NONE })),
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

async function withActions(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: string,
  tables: readonly Table[],
): Promise<readonly VisibleTable[]> {
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
  return tables.map((table, place) => ({
    table,
    actions: acceptsWrites(table)
      ? new Set(TABLE_ACTIONS.filter((_, which) => answers[which]?.[place]))
      : NONE,
  }));
}
