import type { ListStatement, ReadableTable, Table, TableTarget, Transaction } from "rowhouse/plugin-api";
import { readIdempotencyKeyWithBody } from "../idempotency/idempotency-key.js";
import { objectBody, okReplyWithRows, requireJsonType } from "../json/body.js";
import { rowValues } from "../json/cell-values.js";
import type { JsonObject, RowValues } from "../json/cell-values.js";
import { eventFacts, runIdempotently } from "../operation.js";
import type { Outcome, WriteOperation } from "../operation.js";
import { addMissingColumns, requireAlterPermission, schemaChangeEvents } from "../rows/add-columns.js";
import { applyColumnTypes, columnTypesOf } from "../rows/column-type-checks.js";
import { insertRules, parseRowsRequest, requireValidRows } from "../rows/rows-request.js";
import type { RowsRequest } from "../rows/rows-request.js";
import { keyLookup, readStoredRows, visibleColumns } from "../rows/stored-rows.js";
import type { RowLookup } from "../rows/stored-rows.js";
import { streamFormat } from "../stream/stream-request.js";
import { prepareStream } from "../stream/stream-view.js";
import { redactKeyColumns } from "../target/redact-error.js";
import { addressColumns, keyColumns } from "../target/row-target.js";
import { canView, requireReplacePermission } from "../target/write-access.js";
import type { WriteContext } from "../target/write-access.js";
import { onTable, requireTable, writeRoute } from "../target/write-route.js";
import { bulkInsert } from "./bulk-insert.js";
import { insertRows } from "./insert-rows.js";
import type { Conflict } from "./insert-rows.js";

/** `POST /<database>/<table>/-/insert`: rows as JSON, or a stream of CSV or newline-delimited JSON. */
export const insertRoute = writeRoute<"table">({
  name: "insert-rows",
  path: "/:database/:resource/-/insert",
  target: "table",
  requires: onTable("insert-row"),
  verify: requireTable,
  async prepare(visit) {
    const format = streamFormat(visit.request);
    if (format !== null) return prepareStream(visit, format, { isUpsert: false });
    requireJsonType(visit);
    const document = await objectBody(visit, "JSON must be a dictionary");
    const operation = await insertOperation(visit, visit.target, document);
    const once = await readIdempotencyKeyWithBody(visit);
    return () =>
      runIdempotently(visit, operation, { once, describe: ({ rows }) => okReplyWithRows(rows, 201) });
  },
  redact: (visit, error) => redactKeyColumns(visit, visit.target, error),
});

/** Prepares an insert. @throws WriteRejected */
export async function insertOperation(
  visit: WriteContext,
  target: TableTarget,
  document: JsonObject,
): Promise<WriteOperation> {
  const { database, table, schema } = target;
  const options = parseRowsRequest(document, visit.rowhouse.setting("max_insert_rows"));
  requireValidRows(options.rows, insertRules(table, options.alter));
  if (options.replace) await requireReplacePermission(visit, target);
  if (options.alter) await requireAlterPermission(visit, target);
  const types = await columnTypesOf(visit, database.name, table.name);
  const values = applyColumnTypes(types, options.rows.map(rowValues));
  // Ignored rows are returned as they are stored, which reveals them to the actor.
  const isOwn = !(options.returnsRows && options.ignore) || (await canView(visit, target));
  const returned = isOwn ? visibleColumns : keyColumns;
  return {
    database,
    table: table.name,
    schema,
    bulk: options.alter ? null : bulkStatementOf(target, options, values),
    run: async (transaction) => {
      const altered = await addMissingColumns(transaction, table, options);
      const source = { ...target.source, table: altered.table };
      return {
        ...(await insertAndReturn(transaction, { source, options, values, returned })),
        schemaChange: altered.schemaChange,
      };
    },
    events: ({ schemaChange }) => [
      ...schemaChangeEvents(visit, target, schemaChange),
      {
        name: "insert-rows",
        ...eventFacts(visit, target),
        num_rows: values.length,
        ignore: options.ignore,
        replace: options.replace,
      },
    ],
  };
}

interface Insert {
  readonly source: ReadableTable;
  readonly options: RowsRequest;
  readonly values: readonly RowValues[];
  readonly returned: (table: Table) => readonly string[];
}

async function insertAndReturn(
  transaction: Transaction,
  { source, options, values, returned }: Insert,
): Promise<Outcome> {
  const { table } = source;
  const returning = options.returnsRows ? addressColumns(table) : [];
  const { count, stored } = await insertRows(transaction, {
    table: table.name,
    rows: values,
    conflict: conflictOf(options),
    returning,
  });
  if (!options.returnsRows) return { count, rows: null };
  const lookups: RowLookup[] = [{ columns: returning, values: stored }];
  if (options.ignore) lookups.push(keyLookup(table, values));
  const orderBy = addressColumns(table);
  const rows = await readStoredRows(transaction, { source, columns: returned(table), lookups, orderBy });
  return { count, rows };
}

const bulkStatementOf = (
  { source }: TableTarget,
  options: RowsRequest,
  values: readonly RowValues[],
): ListStatement<Outcome> | null =>
  bulkInsert({
    source,
    values,
    conflict: conflictOf(options),
    returned: options.returnsRows ? visibleColumns(source.table) : null,
  });

function conflictOf({ ignore, replace }: RowsRequest): Conflict {
  if (ignore) return "ignore";
  return replace ? "replace" : "fail";
}
