import { RowhouseError, SchemaChanged } from "rowhouse/plugin-api";
import type { Database, Schema } from "rowhouse/plugin-api";
import type { WriteVisit } from "./authorize-write.js";
import { databaseIfAny } from "./targets.js";

/** Makes a write up for a schema, or says why there can be none. @returns what does it, under this schema or not at all */
type MakeUp<T> = (schema: Schema | null) => Promise<() => Promise<T>>;

/**
 * Makes a write up for the schema as it was seen last and does it: that takes no look at the file, for which a commit
 * under way would have to be waited for. What fails under a schema that turns out to be an old one is made up anew.
 *
 * @throws whatever `makeUp` and what it makes throw under the current schema
 */
export async function withOptimisticSchema<T>(visit: WriteVisit, makeUp: MakeUp<T>): Promise<T> {
  const database = databaseIfAny(visit);
  const schema = database?.lastSchema ?? null;
  if (database === undefined || schema === null) return (await makeUp(null))();
  return under(schema, database, makeUp);
}

async function under<T>(schema: Schema, database: Database, makeUp: MakeUp<T>): Promise<T> {
  let write: (() => Promise<T>) | null = null;
  try {
    write = await makeUp(schema);
    return await write();
  } catch (error) {
    // What was done is done, whatever went wrong after it.
    if (write !== null && !(error instanceof SchemaChanged)) throw error;
    if (isForbidden(error)) throw error;
    const current = await database.schema();
    if (current.version === schema.version) throw error;
    return under(current, database, makeUp);
  }
}

/** Who may not do this under an old schema learns nothing of the new one. */
const isForbidden = (error: unknown): boolean => error instanceof RowhouseError && error.status === 403;
