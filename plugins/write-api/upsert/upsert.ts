import { WriteRejected, type Transaction, type Visit } from "rowhouse/plugin-api";
import { keyColumns } from "rowhouse/plugin-api/engine";
import type { TableTarget } from "rowhouse/plugin-api/http";
import type { JsonObject } from "rowhouse/plugin-api/json";
import { isUpsertStream, objectBody, okReplyWithRows, requireJsonType, streamFormat } from "../json/body.js";
import type { RowValues } from "../json/cell-values.js";
import {
  eventFacts,
  runIdempotently,
  readIdempotencyKeyWithBody,
  schemaChangeEvents,
  type WriteOperation,
} from "../operation.js";
import { addMissingColumns, requireAlterPermission } from "../rows/add-columns.js";
import {
  columnsWithKey,
  keyLookup,
  parseRowsRequest,
  readStoredRows,
  requireValidRows,
  upsertRules,
  valuesToStore,
} from "../rows/rows-request.js";
import { prepareStream } from "../stream/stream-view.js";
import { redactKeyColumns } from "../target/redact-error.js";
import { canView, requireHiddenRowsKept, type WriteContext } from "../target/write-access.js";
import { onTable, requireTable, writeRoute } from "../target/write-route.js";
import { bulkUpsert, upsertRows, type UpsertTarget } from "./upsert-rows.js";

const bothPermissions = {
  target: "table",
  requires: onTable("insert-row", "update-row"),
  verify: requireTable,
  refusal: "Permission denied: need both insert-row and update-row",
  redact: (visit: Visit<"table">, error: unknown) => redactKeyColumns(visit, visit.target, error),
} as const;

/** `POST /<database>/<table>/-/upsert`. */
export const upsertRoute = writeRoute<"table">({
  ...bothPermissions,
  name: "upsert-rows",
  path: "/:database/:resource/-/upsert",
  async prepare(visit) {
    const format = streamFormat(visit.request);
    if (format !== null) return prepareStream(visit, format, { isUpsert: true });
    requireJsonType(visit);
    const document = await objectBody(visit, "JSON must be a dictionary");
    const operation = await upsertOperation(visit, visit.target, document);
    const once = await readIdempotencyKeyWithBody(visit);
    return () => runIdempotently(visit, operation, { once, describe: ({ rows }) => okReplyWithRows(rows) });
  },
});

/** `POST /<database>/<table>/-/insert?upsert` with a stream of rows. */
export const upsertStreamRoute = writeRoute<"table">({
  ...bothPermissions,
  name: "upsert-stream",
  path: "/:database/:resource/-/insert",
  when: isUpsertStream,
  prepare: (visit) => prepareStream(visit, streamFormat(visit.request) ?? "ndjson", { isUpsert: true }),
});

/** Prepares an upsert: rows whose key exists are updated, others inserted. @throws WriteRejected */
export async function upsertOperation(
  visit: WriteContext,
  target: TableTarget,
  document: JsonObject,
): Promise<WriteOperation> {
  const { database, table } = target;
  const { dialect } = database;
  const options = parseRowsRequest(document, visit.rowhouse.setting("max_insert_rows"));
  requireValidRows(options.rows, upsertRules(table, options.alter));
  if (options.ignore || options.replace) {
    throw new WriteRejected(["Upsert does not support ignore or replace"]);
  }
  requireHiddenRowsKept(target);
  if (options.alter) await requireAlterPermission(visit, target);
  const values = await valuesToStore(visit, target, options.rows);
  const isReader = options.returnsRows && (await canView(visit, target));
  return {
    database,
    table: table.name,
    schema: target.schema,
    bulk:
      options.alter || options.returnsRows ? null : bulkUpsert({ dialect, source: target.source }, values),
    run: async (transaction) => {
      const altered = await addMissingColumns(transaction, { dialect, table }, options);
      const source = { ...target.source, table: altered.table };
      await upsertRows(transaction, { dialect, source }, values);
      const rows = options.returnsRows
        ? await readUpsertedRows(transaction, { dialect, source, isReader }, values)
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
  { dialect, source, isReader }: UpsertTarget & { readonly isReader: boolean },
  values: readonly RowValues[],
): Promise<readonly string[]> =>
  readStoredRows(transaction, {
    dialect,
    source,
    columns: isReader ? columnsWithKey(source.table) : keyColumns(source.table),
    lookups: [keyLookup(source.table, values)],
    orderBy: keyColumns(source.table),
  });
