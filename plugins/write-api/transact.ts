import type { Database, Transaction } from "rowhouse/plugin-api";
import type { WriteVisit } from "./admission.js";

/**
 * Runs `work` as one transaction, with the code that plugins put around writes inside it.
 *
 * @param table what the write is about; null where that is a table yet to be made
 */
export async function transact<T>(
  { rowhouse, request, actor }: WriteVisit,
  { database, table }: { readonly database: Database; readonly table: string | null },
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const facts = { database: database.name, table, request, actor };
  const around = await rowhouse.serviceIfAny("events")?.around(facts);
  return database.write((transaction) =>
    around === undefined ? work(transaction) : around(() => work(transaction)),
  );
}
