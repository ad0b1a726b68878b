import { WriteRejected } from "rowhouse/plugin-api";
import type { ReadableTable, Transaction } from "rowhouse/plugin-api";
import { requireAltering, widenFor, widenedEvents } from "./add-columns.js";
import type { WriteVisit } from "./authorize-write.js";
import { rowValues } from "./cell-values.js";
import type { RowValues } from "./cell-values.js";
import { acceptRows, typesOf } from "./incoming-rows.js";
import type { JsonObject } from "./json-value.js";
import { eventFacts } from "./operation.js";
import type { WriteOperation } from "./operation.js";
import { keyColumns } from "./row-address.js";
import { checkRows, rowsRequest, upsertRules } from "./rows-request.js";
import { keyedColumns, sentKeys, storedRows } from "./stored-rows.js";
import { mayView } from "./targets.js";
import type { Needs, TableTarget } from "./targets.js";
import { upsertRows } from "./upsert-rows.js";

export const upsertNeeds: Needs = {
  actions: ["insert-row", "update-row"],
  refusal: "Permission denied: need both insert-row and update-row",
};

/** Rows to be updated by their keys, or inserted. @throws WriteRejected */
export async function upsertOperation(
  visit: WriteVisit,
  target: TableTarget,
  document: JsonObject,
): Promise<WriteOperation> {
  const { database, table } = target;
  const asked = rowsRequest(document, visit.rowhouse.setting("max_insert_rows"));
  checkRows(asked.rows, upsertRules(table, asked.alter));
  if (asked.ignore || asked.replace) {
    throw new WriteRejected(["Upsert does not support ignore or replace"]);
  }
  if (asked.alter) await requireAltering(visit, target);
  const types = await typesOf(visit, database.name, table.name);
  const values = acceptRows(types, asked.rows.map(rowValues));
  const isReader = asked.returns && (await mayView(visit, target));
  return {
    database,
    table: table.name,
    run: async (transaction) => {
      const wide = await widenFor(transaction, table, asked);
      const readable = { ...target.readable, table: wide.table };
      await upsertRows(transaction, readable, values);
      const rows = asked.returns ? await upserted(transaction, { readable, isReader }, values) : null;
      return { count: values.length, rows, widened: wide.widened };
    },
    events: ({ widened }) => [
      ...widenedEvents(visit, target, widened),
      { name: "upsert-rows", ...eventFacts(visit, target), num_rows: values.length },
    ],
  };
}

const upserted = (
  transaction: Transaction,
  { readable, isReader }: { readonly readable: ReadableTable; readonly isReader: boolean },
  values: readonly RowValues[],
): Promise<readonly string[]> =>
  storedRows(transaction, {
    readable,
    columns: isReader ? keyedColumns(readable.table) : keyColumns(readable.table),
    sought: [sentKeys(readable.table, values)],
    orderBy: keyColumns(readable.table),
  });
