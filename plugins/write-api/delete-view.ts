import { quoteIdentifier } from "rowhouse/plugin-api";
import type { Reply } from "rowhouse/plugin-api";
import type { WriteVisit } from "./admission.js";
import { done } from "./replies.js";
import { addressColumns, whereEquals } from "./row-address.js";
import { rowAddress, rowTarget } from "./targets.js";
import { transact } from "./transact.js";

/** Deletes one row. @throws WriteRejected and what the engine says */
export async function deleteView(visit: WriteVisit): Promise<Reply> {
  const { rowhouse, actor } = visit;
  const { database, table, key } = await rowTarget(visit, {
    actions: ["delete-row"],
    refusal: "Permission denied",
  });
  await transact(visit, { database, table: table.name }, async (transaction) => {
    const address = await rowAddress(transaction.all.bind(transaction), { table, key });
    const where = whereEquals(addressColumns(table));
    await transaction.run(`delete from ${quoteIdentifier(table.name)} where ${where}`, address);
  });
  await rowhouse.serviceIfAny("events")?.track({
    name: "delete-row",
    actor,
    created: new Date(),
    database: database.name,
    table: table.name,
    pks: key,
  });
  return done();
}
