import { WriteRejected } from "rowhouse/plugin-api";
import type { Reply, ReadableTable, Transaction } from "rowhouse/plugin-api";
import { readIdempotencyKeyWithBody } from "../idempotency/idempotency-key.js";
import { objectBody, requireJsonType, okReplyWithRows } from "../json/body.js";
import { rowValues } from "../json/cell-values.js";
import type { RowValues, JsonObject } from "../json/cell-values.js";
import { runIdempotently, eventFacts } from "../operation.js";
import type { WriteOperation } from "../operation.js";
import { requireAlterPermission, addMissingColumns, schemaChangeEvents } from "../rows/add-columns.js";
import { applyColumnTypes, columnTypesOf } from "../rows/column-type-checks.js";
import { requireValidRows, parseRowsRequest, upsertRules } from "../rows/rows-request.js";
import { columnsWithKey, keyLookup, readStoredRows } from "../rows/stored-rows.js";
import type { WriteVisit } from "../target/authorize-write.js";
import { keyColumns } from "../target/row-target.js";
import { tableTarget, canViewTable } from "../target/table-target.js";
import type { RequiredPermissions, TableTarget } from "../target/table-target.js";
import { upsertRows } from "./upsert-rows.js";

/** `POST /<database>/<table>/-/upsert`. @throws WriteRejected, SqlFailed */
export async function upsertView(visit: WriteVisit): Promise<Reply> {
  const target = await tableTarget(visit, upsertPermissions);
  requireJsonType(visit);
  const document = await objectBody(visit, "JSON must be a dictionary");
  const operation = await upsertOperation(visit, target, document);
  const once = await readIdempotencyKeyWithBody(visit);
  return runIdempotently(visit, operation, { once, describe: ({ rows }) => okReplyWithRows(rows) });
}

export const upsertPermissions: RequiredPermissions = {
  actions: ["insert-row", "update-row"],
  deniedMessage: "Permission denied: need both insert-row and update-row",
};

/** Prepares an upsert: rows whose key exists are updated, others inserted. @throws WriteRejected */
export async function upsertOperation(
  visit: WriteVisit,
  target: TableTarget,
  document: JsonObject,
): Promise<WriteOperation> {
  const { database, table } = target;
  const options = parseRowsRequest(document, visit.rowhouse.setting("max_insert_rows"));
  requireValidRows(options.rows, upsertRules(table, options.alter));
  if (options.ignore || options.replace) {
    throw new WriteRejected(["Upsert does not support ignore or replace"]);
  }
  if (options.alter) await requireAlterPermission(visit, target);
  const types = await columnTypesOf(visit, database.name, table.name);
  const values = applyColumnTypes(types, options.rows.map(rowValues));
  const isReader = options.returnsRows && (await canViewTable(visit, target));
  return {
    database,
    table: table.name,
    run: async (transaction) => {
      const altered = await addMissingColumns(transaction, table, options);
      const readable = { ...target.readable, table: altered.table };
      await upsertRows(transaction, readable, values);
      const rows = options.returnsRows
        ? await readUpsertedRows(transaction, { readable, isReader }, values)
        : null;
      return { count: values.length, rows, schemaChange: altered.schemaChange };
    },
    events: ({ schemaChange }) => [
      ...schemaChangeEvents(visit, target, schemaChange),
      { name: "upsert-rows", ...eventFacts(visit, target), num_rows: values.length },
    ],
  };
}

const readUpsertedRows = (
  transaction: Transaction,
  { readable, isReader }: { readonly readable: ReadableTable; readonly isReader: boolean },
  values: readonly RowValues[],
): Promise<readonly string[]> =>
  readStoredRows(transaction, {
    readable,
    columns: isReader ? columnsWithKey(readable.table) : keyColumns(readable.table),
    lookups: [keyLookup(readable.table, values)],
    orderBy: keyColumns(readable.table),
  });
