import type { Table, Transaction } from "rowhouse/plugin-api";
import type { ReadableTable } from "rowhouse/plugin-api/contracts";
import {
  keyColumns,
  cellKinds,
  rowArrays,
  type BulkStatement,
  type Dialect,
  type InsertConflict,
  type RowRun,
} from "rowhouse/plugin-api/engine";
import type { TableTarget } from "rowhouse/plugin-api/http";
import type { JsonObject } from "rowhouse/plugin-api/json";
import { objectBody, okReplyWithRows, requireJsonType, streamFormat } from "../json/body.js";
import type { RowValues } from "../json/cell-values.js";
import {
  eventFacts,
  runIdempotently,
  readIdempotencyKeyWithBody,
  schemaChangeEvents,
  type Outcome,
  type WriteOperation,
} from "../operation.js";
import { addMissingColumns, requireAlterPermission } from "../rows/add-columns.js";
import { statementText, uniformRows } from "../rows/bulk-statement.js";
import {
  insertRules,
  keyLookup,
  parseRowsRequest,
  readStoredRows,
  requireValidRows,
  visibleColumns,
  valuesToStore,
  type RowLookup,
  type RowsRequest,
} from "../rows/rows-request.js";
import { prepareStream } from "../stream/stream-view.js";
import { redactKeyColumns } from "../target/redact-error.js";
import { addressColumns } from "../target/row-target.js";
import {
  canView,
  requireHiddenRowsKept,
  requireReplacePermission,
  type WriteContext,
} from "../target/write-access.js";
import { onTable, requireTable, writeRoute } from "../target/write-route.js";
import { conflictOf, insertReturning, insertRows, insertSql } from "./insert-rows.js";

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
  requireHiddenRowsKept(target);
  if (options.replace) await requireReplacePermission(visit, target);
  if (options.alter) await requireAlterPermission(visit, target);
  const values = await valuesToStore(visit, target, options.rows);
  // Ignored rows are returned as they are stored, which reveals them to the actor.
  const isOwn = !(options.returnsRows && options.ignore) || (await canView(visit, target));
  const returned = isOwn ? visibleColumns : keyColumns;
  return {
    database,
    table: table.name,
    schema,
    bulk: options.alter ? null : bulkStatementOf(target, options, values),
    run: async (transaction) => {
      const altered = await addMissingColumns(transaction, { dialect: database.dialect, table }, options);
      const source = { ...target.source, table: altered.table };
      return {
        ...(await insertAndReturn(transaction, {
          dialect: database.dialect,
          source,
          options,
          values,
          returned,
        })),
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
  readonly dialect: Dialect;
  readonly source: ReadableTable;
  readonly options: RowsRequest;
  readonly values: readonly RowValues[];
  readonly returned: (table: Table) => readonly string[];
}

async function insertAndReturn(
  transaction: Transaction,
  { dialect, source, options, values, returned }: Insert,
): Promise<Outcome> {
  const { table } = source;
  const returning = options.returnsRows ? addressColumns(table) : [];
  const insertion = { dialect, table, rows: values, conflict: conflictOf(options), returning };
  if (options.returnsRows && returning.length === 0 && !source.restricted) {
    // The rows can't be found again.
    const rows = await insertReturning(transaction, { ...insertion, returning: returned(table) });
    return { count: rows.length, rows };
  }
  const { count, stored } = await insertRows(transaction, insertion);
  if (!options.returnsRows) return { count, rows: null };
  const lookups: RowLookup[] = [{ columns: returning, values: stored }];
  if (options.ignore) lookups.push(keyLookup(table, values));
  const orderBy = addressColumns(table);
  const rows = await readStoredRows(transaction, {
    dialect,
    source,
    columns: returned(table),
    lookups,
    orderBy,
  });
  return { count, rows, addresses: stored };
}

const bulkStatementOf = (
  { database, source }: TableTarget,
  options: RowsRequest,
  values: readonly RowValues[],
): BulkStatement<Outcome> | null =>
  bulkInsert({
    dialect: database.dialect,
    source,
    values,
    conflict: conflictOf(options),
    returned: options.returnsRows ? visibleColumns(source.table) : null,
  });

/** An insert without any other change to the table. */
export interface PlainInsert {
  readonly dialect: Dialect;
  readonly source: ReadableTable;
  readonly values: readonly RowValues[];
  readonly conflict: InsertConflict;
  /** Columns of the stored rows to return; null to return none. */
  readonly returned: readonly string[] | null;
}

/** The insert as one statement over a list of rows; null if one statement is not enough. */
function bulkInsert(insert: PlainInsert): BulkStatement<Outcome> | null {
  const { dialect, source, values, returned } = insert;
  if (returned !== null && !isReturnedAsStored(insert)) return null;
  const run = uniformRows(values, { dialect, table: source.table });
  const sql = run && statementFor(insert, run);
  if (run === null || sql === null) return null;
  return {
    sql,
    items: rowArrays(run, dialect.definitions.numbers),
    result: (stored) => ({ count: values.length, rows: returned === null ? null : stored }),
  };
}

/** The statement that stores a run of rows; null if another one must follow. */
function statementFor(
  { dialect, source: { table }, conflict, returned }: PlainInsert,
  run: RowRun,
): string | null {
  const { columns } = run;
  const returning = returned ?? [];
  // The facts are unambiguous: there is one kind per column.
  const kinds = cellKinds(run);
  return statementText(table, [conflict, kinds, ...columns, ...returning], () => {
    if ((dialect.definitions.afterInsert?.(table, columns) ?? null) !== null) return null;
    return insertSql({ dialect, table, conflict, returning }, { columns, kinds });
  });
}

/** Does RETURNING return the same row as a SELECT? Not if triggers change it, or if an existing row is kept. */
const isReturnedAsStored = ({ source, values, conflict }: PlainInsert): boolean =>
  values.length === 1 && conflict !== "ignore" && !source.restricted && isPlain(source.table);

const isPlain = ({ kind, triggers }: Table): boolean => kind === "table" && triggers.length === 0;
