import type { Database, Transaction } from "rowhouse/plugin-api";
import type { WriteVisit } from "./admission.js";

/** What a transaction is about. */
export interface Writing {
  readonly database: Database;
  /** Null where that is a table yet to be made, or several. */
  readonly table: string | null;
  /** Everything happens, and is then taken back. */
  readonly dryRun?: boolean;
}

/** Runs `work` as one transaction, with the code that plugins put around writes inside it. */
export async function transact<T>(
  { rowhouse, request, actor }: WriteVisit,
  { database, table, dryRun = false }: Writing,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const facts = { database: database.name, table, request, actor };
  const around = await rowhouse.serviceIfAny("events")?.around(facts);
  return database.write(
    (transaction) =>
      around === undefined ? work(transaction) : around(() => work(transaction), transaction),
    { dryRun },
  );
}
