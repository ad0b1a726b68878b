import { WriteRejected } from "rowhouse/plugin-api";
import type { Reply } from "rowhouse/plugin-api";
import type { WriteVisit } from "./admission.js";
import { objectBody, requireJsonType } from "./body.js";
import { rowValues } from "./cell-values.js";
import { done, listOf } from "./replies.js";
import { keyColumns } from "./row-address.js";
import { checkKeyedRows, rowsRequest } from "./rows-request.js";
import { keyedColumns, sentKeys, storedRows } from "./stored-rows.js";
import { tableTarget } from "./targets.js";
import { transact } from "./transact.js";
import { upsertRows } from "./upsert-rows.js";

/** Updates or inserts rows by their keys. @throws WriteRejected and what the engine says */
export async function upsertView(visit: WriteVisit): Promise<Reply> {
  const { rowhouse, actor } = visit;
  const { database, table } = await tableTarget(visit, {
    actions: ["insert-row", "update-row"],
    refusal: "Permission denied: need both insert-row and update-row",
  });
  requireJsonType(visit);
  const document = await objectBody(visit, "JSON must be a dictionary");
  const asked = rowsRequest(document, rowhouse.setting("max_insert_rows"));
  checkKeyedRows(asked.rows, table);
  if (asked.ignore || asked.replace) {
    throw new WriteRejected(["Upsert does not support ignore or replace"]);
  }
  const values = asked.rows.map(rowValues);
  const rows = await transact(visit, { database, table: table.name }, async (transaction) => {
    await upsertRows(transaction, table, values);
    if (!asked.returns) return [];
    const orderBy = keyColumns(table);
    const sought = [sentKeys(table, values)];
    return storedRows(transaction, { table, columns: keyedColumns(table), sought, orderBy });
  });
  await rowhouse.serviceIfAny("events")?.track({
    name: "upsert-rows",
    actor,
    created: new Date(),
    database: database.name,
    table: table.name,
    num_rows: values.length,
  });
  return done(asked.returns ? { rows: listOf(rows) } : {});
}
