import type { Database, ListStatement, Schema, Transaction } from "rowhouse/plugin-api";
import type { WriteVisit } from "./authorize-write.js";
import { redactError } from "./redact-error.js";

/** What a transaction is about. */
export interface Writing<T> {
  readonly database: Database;
  /** Null where that is a table yet to be made, or several. */
  readonly table: string | null;
  /** Everything happens, and is then taken back. */
  readonly dryRun?: boolean;
  /** What the work was made up for; any unless given. @throws SchemaChanged */
  readonly schema?: Schema | null;
  /** What is to be done as one statement over a list, where it is that. */
  readonly list?: ListStatement<T> | null;
}

/**
 * Runs `work` as one transaction, with the code that plugins put around writes inside it. What goes wrong is told
 * without naming what is hidden from the actor.
 */
export async function transact<T>(
  visit: WriteVisit,
  { database, table, dryRun = false, schema = null, list = null }: Writing<T>,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const { rowhouse, request, actor } = visit;
  const facts = { database: database.name, table, request, actor };
  const around = (await rowhouse.serviceIfAny("events")?.around(facts)) ?? null;
  const write = (transaction: Transaction): Promise<T> =>
    around === null ? work(transaction) : around(() => work(transaction), transaction);
  try {
    return await database.write(write, { dryRun, schema, list: around === null ? list : null });
  } catch (error) {
    throw await redactError(visit, { database, tables: table === null ? [] : [table] }, error);
  }
}
