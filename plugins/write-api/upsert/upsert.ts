import { WriteRejected } from "rowhouse/plugin-api";
import type { Reply, ReadableTable, Transaction } from "rowhouse/plugin-api";
import { onceOnlyWithBody } from "../idempotency/idempotency-key.js";
import { objectBody, requireJsonType, doneWithRows } from "../json/body.js";
import { rowValues } from "../json/cell-values.js";
import type { RowValues, JsonObject } from "../json/cell-values.js";
import { respond, eventFacts } from "../operation.js";
import type { WriteOperation } from "../operation.js";
import { requireAltering, widenFor, widenedEvents } from "../rows/add-columns.js";
import { acceptRows, typesOf } from "../rows/column-type-checks.js";
import { checkRows, rowsRequest, upsertRules } from "../rows/rows-request.js";
import { keyedColumns, sentKeys, storedRows } from "../rows/stored-rows.js";
import { streamFormat } from "../stream/stream-request.js";
import { streamView } from "../stream/stream-view.js";
import type { WriteVisit } from "../target/authorize-write.js";
import { keyColumns } from "../target/row-target.js";
import { tableTarget, mayView } from "../target/table-target.js";
import type { Needs, TableTarget } from "../target/table-target.js";
import { upsertRows } from "./upsert-rows.js";

/** Updates or inserts rows by their keys. @throws WriteRejected and what the engine says */
export async function upsertView(visit: WriteVisit): Promise<Reply> {
  const format = streamFormat(visit.request);
  if (format !== null) return streamView(visit, format, { upserts: true });
  const target = await tableTarget(visit, upsertNeeds);
  requireJsonType(visit);
  const document = await objectBody(visit, "JSON must be a dictionary");
  const operation = await upsertOperation(visit, target, document);
  const once = await onceOnlyWithBody(visit);
  return respond(visit, operation, { once, describe: ({ rows }) => doneWithRows(rows) });
}

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
