import { RowhouseError, SchemaChanged } from "rowhouse/plugin-api";
import type {
  Reply,
  BulkStatement,
  ReadableTable,
  Table,
  Transaction,
  Database,
  Schema,
} from "rowhouse/plugin-api";
import { readIdempotencyKeyWithBody } from "../idempotency/idempotency-key.js";
import { objectBody, requireJsonType, okReplyWithRows } from "../json/body.js";
import { rowValues } from "../json/cell-values.js";
import type { RowValues, JsonObject } from "../json/cell-values.js";
import { runIdempotently, eventFacts } from "../operation.js";
import type { Outcome, WriteOperation } from "../operation.js";
import { requireAlterPermission, addMissingColumns, schemaChangeEvents } from "../rows/add-columns.js";
import { applyColumnTypes, columnTypesOf } from "../rows/column-type-checks.js";
import { requireValidRows, insertRules, parseRowsRequest } from "../rows/rows-request.js";
import type { RowsRequest } from "../rows/rows-request.js";
import { visibleColumns, keyLookup, readStoredRows } from "../rows/stored-rows.js";
import type { RowLookup } from "../rows/stored-rows.js";
import { requirePermission } from "../target/authorize-write.js";
import type { WriteVisit } from "../target/authorize-write.js";
import { addressColumns, keyColumns } from "../target/row-target.js";
import { tableTarget, canViewTable, requireUnrestricted, databaseIfAny } from "../target/table-target.js";
import type { RequiredPermissions, TableTarget } from "../target/table-target.js";
import { bulkInsert } from "./bulk-insert.js";
import { insertRows } from "./insert-rows.js";
import type { Conflict } from "./insert-rows.js";

/** `POST /<database>/<table>/-/insert`. @throws WriteRejected, SqlFailed */
export async function insertView(visit: WriteVisit): Promise<Reply> {
  return withOptimisticSchema(visit, async (schema) => {
    const target = await tableTarget(visit, insertPermissions, schema);
    requireJsonType(visit);
    const document = await objectBody(visit, "JSON must be a dictionary");
    const operation = await insertOperation(visit, target, document);
    const once = await readIdempotencyKeyWithBody(visit);
    return () =>
      runIdempotently(visit, operation, { once, describe: ({ rows }) => okReplyWithRows(rows, 201) });
  });
}

export const insertPermissions: RequiredPermissions = {
  actions: ["insert-row"],
  deniedMessage: "Permission denied",
};

/** Prepares an insert. @throws WriteRejected */
export async function insertOperation(
  visit: WriteVisit,
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
  const isOwn = !(options.returnsRows && options.ignore) || (await canViewTable(visit, target));
  const returned = isOwn ? visibleColumns : keyColumns;
  return {
    database,
    table: table.name,
    schema,
    bulk: options.alter ? null : bulkStatementOf(target, options, values),
    run: async (transaction) => {
      const altered = await addMissingColumns(transaction, table, options);
      const readable = { ...target.readable, table: altered.table };
      return {
        ...(await insertAndReturn(transaction, { readable, options, values, returned })),
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

/** Replacing can change rows that the actor cannot see, so it needs an unrestricted table. @throws WriteRejected (403) */
export async function requireReplacePermission(
  visit: WriteVisit,
  { database, table, readable }: TableTarget,
): Promise<void> {
  await requirePermission(
    visit,
    ["update-row", [database.name, table.name]],
    'Permission denied: need update-row to use "replace"',
  );
  requireUnrestricted(readable);
}

interface Insert {
  readonly readable: ReadableTable;
  readonly options: RowsRequest;
  readonly values: readonly RowValues[];
  readonly returned: (table: Table) => readonly string[];
}

async function insertAndReturn(
  transaction: Transaction,
  { readable, options, values, returned }: Insert,
): Promise<Outcome> {
  const { table } = readable;
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
  const rows = await readStoredRows(transaction, { readable, columns: returned(table), lookups, orderBy });
  return { count, rows };
}

const bulkStatementOf = (
  { readable }: TableTarget,
  options: RowsRequest,
  values: readonly RowValues[],
): BulkStatement<Outcome> | null =>
  bulkInsert({
    readable,
    values,
    conflict: conflictOf(options),
    returned: options.returnsRows ? visibleColumns(readable.table) : null,
  });

function conflictOf({ ignore, replace }: RowsRequest): Conflict {
  if (ignore) return "ignore";
  return replace ? "replace" : "fail";
}

/** Prepares a write for a schema. @returns a function that performs the write, and fails under any other schema */
type PrepareWrite<T> = (schema: Schema | null) => Promise<() => Promise<T>>;

/**
 * Prepares a write for the last known schema and performs it. Reading the current schema from the file would have to
 * wait for a commit in progress. If the write fails and the schema has changed meanwhile, it is prepared again.
 *
 * @throws any error of `prepare` and of the write under the current schema
 */
export async function withOptimisticSchema<T>(visit: WriteVisit, prepare: PrepareWrite<T>): Promise<T> {
  const database = databaseIfAny(visit);
  const schema = database?.lastSchema ?? null;
  if (database === undefined || schema === null) return (await prepare(null))();
  return attemptUnder(schema, database, prepare);
}

async function attemptUnder<T>(schema: Schema, database: Database, prepare: PrepareWrite<T>): Promise<T> {
  let write: (() => Promise<T>) | null = null;
  try {
    write = await prepare(schema);
    return await write();
  } catch (error) {
    // The write may have been committed before the error, so it must not run twice.
    if (write !== null && !(error instanceof SchemaChanged)) throw error;
    if (isForbidden(error)) throw error;
    const current = await database.schema();
    if (current.version === schema.version) throw error;
    return attemptUnder(current, database, prepare);
  }
}

/** After a 403 under an old schema there is no second attempt: it could reveal the new schema. */
const isForbidden = (error: unknown): boolean => error instanceof RowhouseError && error.status === 403;
