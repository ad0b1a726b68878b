import type { LRUCache } from "lru-cache";
import type { SqlValue, Table, Transaction } from "rowhouse/plugin-api";
import type { ReadableTable } from "rowhouse/plugin-api/contracts";
import {
  keyColumns,
  type BulkStatement,
  type Dialect,
  type InsertConflict,
} from "rowhouse/plugin-api/engine";
import type { TableTarget } from "rowhouse/plugin-api/http";
import { boundedCache } from "rowhouse/plugin-api/kernel";
import { objectBody, okReplyWithRows, requireJsonType, streamFormat } from "../json/body.js";
import { cellKinds, rowArrays, rowValuesInSlices } from "../json/cell-values.js";
import type { JsonObject, RowRun, RowValues } from "../json/cell-values.js";
import { eventFacts, runIdempotently, readIdempotencyKeyWithBody, schemaChangeEvents } from "../operation.js";
import type { Outcome, WriteOperation } from "../operation.js";
import { addMissingColumns, requireAlterPermission } from "../rows/add-columns.js";
import {
  acceptedColumns,
  applyColumnTypes,
  columnTypesOf,
  insertRules,
  keyLookup,
  parseRowsRequest,
  readStoredRows,
  requireValidRows,
  visibleColumns,
} from "../rows/rows-request.js";
import type { RowLookup, RowsRequest } from "../rows/rows-request.js";
import { prepareStream } from "../stream/stream-view.js";
import { redactKeyColumns } from "../target/redact-error.js";
import { addressColumns } from "../target/row-target.js";
import { canView, requireReplacePermission } from "../target/write-access.js";
import type { WriteContext } from "../target/write-access.js";
import { onTable, requireTable, writeRoute } from "../target/write-route.js";
import { insertReturning, insertRows, insertSql } from "./insert-rows.js";

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
  const values = applyColumnTypes(types, await rowValuesInSlices(options.rows, visit.request));
  // Ignored rows are returned as they are stored, which reveals them to the actor.
  const isOwn = !(options.returnsRows && options.ignore) || (await canView(visit, target));
  const returned = isOwn ? visibleColumns : keyColumns;
  return {
    database,
    table: table.name,
    schema,
    bulk: options.alter ? null : bulkStatementOf(target, options, values),
    run: async (transaction) => {
      const altered = await addMissingColumns(database.dialect, transaction, table, options);
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

function conflictOf({ ignore, replace }: RowsRequest): InsertConflict {
  if (ignore) return "ignore";
  return replace ? "replace" : "fail";
}

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
export function bulkInsert(insert: PlainInsert): BulkStatement<Outcome> | null {
  const { source, values, returned } = insert;
  const { table } = source;
  if (returned !== null && !isReturnedAsStored(insert)) return null;
  // In the order of the table, so that rows with the same columns in another order use the same statement.
  const columns = [...acceptedColumns(table)].filter((column) => values[0]?.has(column) === true);
  if (columns.length === 0 || !values.every((row) => row.size === columns.length)) return null;
  const rows: (readonly SqlValue[])[] = [];
  for (const row of values) {
    const cells: SqlValue[] = [];
    for (const column of columns) {
      const value = row.get(column);
      if (value === undefined) return null;
      cells.push(value);
    }
    rows.push(cells);
  }
  const run = { columns, rows };
  const sql = statementFor(insert, run);
  if (sql === ONE_IS_NOT_ENOUGH) return null;
  return {
    sql,
    items: rowArrays(run, insert.dialect.definitions.numbers),
    result: (stored) => ({ count: values.length, rows: returned === null ? null : stored }),
  };
}

// Clients usually send the same columns in every request, so few statements are enough.
const BYTES_PER_TABLE = 500_000;

/**
 * SQL texts by table and by everything they depend on. Building the text takes longer than all other handling of a row.
 */
const statementCache = new WeakMap<Table, LRUCache<string, string>>();

const newCache = (): LRUCache<string, string> =>
  boundedCache("insert-texts", BYTES_PER_TABLE, (sql) => sql.length + 1);

/** In place of a statement that another one must follow. */
const ONE_IS_NOT_ENOUGH = "";

/** The statement that stores a run of rows. */
function statementFor({ dialect, source: { table }, conflict, returned }: PlainInsert, run: RowRun): string {
  const cache = statementCache.get(table) ?? newCache();
  statementCache.set(table, cache);
  const returning = returned ?? [];
  // The key is unambiguous: names contain no NUL, and there is one kind per column.
  const kinds = cellKinds(run);
  const key = [conflict, kinds, ...run.columns, ...returning].join("\0");
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const isFollowed = (dialect.definitions.afterInsert?.(table, run.columns) ?? null) !== null;
  const sql = isFollowed
    ? ONE_IS_NOT_ENOUGH
    : insertSql({ dialect, table, conflict, returning }, { columns: run.columns, kinds });
  cache.set(key, sql);
  return sql;
}

/** Does RETURNING return the same row as a SELECT? Not if triggers change it, or if an existing row is kept. */
const isReturnedAsStored = ({ source, values, conflict }: PlainInsert): boolean =>
  values.length === 1 && conflict !== "ignore" && !source.restricted && isPlain(source.table);

const isPlain = ({ kind, triggers }: Table): boolean => kind === "table" && triggers.length === 0;
