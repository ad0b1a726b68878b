import { WriteRejected } from "rowhouse/plugin-api";
import type { WriteVisit } from "./admission.js";
import { rowValues } from "./cell-values.js";
import type { JsonObject } from "./json-value.js";
import { eventFacts } from "./operation.js";
import type { WriteOperation } from "./operation.js";
import { keyColumns } from "./row-address.js";
import { checkKeyedRows, rowsRequest } from "./rows-request.js";
import { keyedColumns, sentKeys, storedRows } from "./stored-rows.js";
import type { Needs, TableTarget } from "./targets.js";
import { upsertRows } from "./upsert-rows.js";

export const upsertNeeds: Needs = {
  actions: ["insert-row", "update-row"],
  refusal: "Permission denied: need both insert-row and update-row",
};

/** Rows to be updated by their keys, or inserted. @throws WriteRejected */
export function upsertOperation(
  visit: WriteVisit,
  target: TableTarget,
  document: JsonObject,
): WriteOperation {
  const { database, table } = target;
  const asked = rowsRequest(document, visit.rowhouse.setting("max_insert_rows"));
  checkKeyedRows(asked.rows, table);
  if (asked.ignore || asked.replace) {
    throw new WriteRejected(["Upsert does not support ignore or replace"]);
  }
  const values = asked.rows.map(rowValues);
  return {
    database,
    table: table.name,
    run: async (transaction) => {
      await upsertRows(transaction, table, values);
      if (!asked.returns) return { count: values.length, rows: null };
      const orderBy = keyColumns(table);
      const sought = [sentKeys(table, values)];
      const rows = await storedRows(transaction, { table, columns: keyedColumns(table), sought, orderBy });
      return { count: values.length, rows };
    },
    event: () => ({ name: "upsert-rows", ...eventFacts(visit, target), num_rows: values.length }),
  };
}
