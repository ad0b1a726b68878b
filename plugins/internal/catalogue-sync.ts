import type { Database, Rowhouse, Schema, Transaction } from "rowhouse/plugin-api";
import { CATALOGUE, catalogueRows, type CatalogueRows } from "./catalogue.js";

/** The reserved name of the database. */
export const INTERNAL = "_internal";

/** Updates the catalogue when schemas change. */
export interface CatalogueSync {
  /** Updates the catalogue. Fast if no schema changed. */
  refresh(internal: Database): Promise<void>;
}

/** The catalogue synchronization of a server. */
export function catalogueSync(rowhouse: Rowhouse): CatalogueSync {
  // Compared by identity: `database.schema()` returns the same object until the schema changes.
  let described: ReadonlyMap<string, Schema> = new Map();
  let latest: Promise<void> = Promise.resolve();
  const refresh = async (internal: Database): Promise<void> => {
    const current = await currentSchemas(rowhouse);
    const isSame =
      current.size === described.size && [...current].every(([name, s]) => described.get(name) === s);
    if (isSame && described.size > 0) return;
    const rows = await Promise.all(
      [...current].map(([name, schema]) => catalogueRows(rowhouse.database(name), schema)),
    );
    await internal.write((transaction) => rewrite(transaction, rows));
    described = current;
  };
  return {
    refresh(internal) {
      latest = latest.catch(() => undefined).then(() => refresh(internal));
      return latest;
    },
  };
}

/** Databases whose schema cannot be read are left out. */
async function currentSchemas(rowhouse: Rowhouse): Promise<ReadonlyMap<string, Schema>> {
  const databases = [...rowhouse.databases.values()].filter(({ internal }) => !internal);
  const schemas = await Promise.all(
    databases.map(async (database) => {
      try {
        return [[database.name, await database.schema()] as const];
      } catch (error) {
        rowhouse.log.warn(`The schema of ${database.name} can't be read: ${String(error)}`);
        return [];
      }
    }),
  );
  return new Map(schemas.flat());
}

async function rewrite(transaction: Transaction, databases: readonly CatalogueRows[]): Promise<void> {
  for (const { name, insert } of CATALOGUE) {
    await transaction.run(`delete from ${name}`);
    const rows = databases.flatMap((database) => database[name]);
    await transaction.run(insert, { rows: JSON.stringify(rows) });
  }
}
