import { RowhouseError, SchemaChanged } from "rowhouse/plugin-api";
import type {
  Reply,
  ListStatement,
  ReadableTable,
  Table,
  Transaction,
  Database,
  Schema,
} from "rowhouse/plugin-api";
import { onceOnlyWithBody } from "../idempotency/idempotency-key.js";
import { objectBody, requireJsonType, doneWithRows } from "../json/body.js";
import { rowValues } from "../json/cell-values.js";
import type { RowValues, JsonObject } from "../json/cell-values.js";
import { respond, eventFacts } from "../operation.js";
import type { Outcome, WriteOperation } from "../operation.js";
import { requireAltering, widenFor, widenedEvents } from "../rows/add-columns.js";
import { acceptRows, typesOf } from "../rows/column-type-checks.js";
import { checkRows, insertRules, rowsRequest } from "../rows/rows-request.js";
import type { RowsRequest } from "../rows/rows-request.js";
import { ownColumns, sentKeys, storedRows } from "../rows/stored-rows.js";
import type { SoughtRows } from "../rows/stored-rows.js";
import { streamFormat } from "../stream/stream-request.js";
import { streamView } from "../stream/stream-view.js";
import { requirePermission } from "../target/authorize-write.js";
import type { WriteVisit } from "../target/authorize-write.js";
import { addressColumns, keyColumns } from "../target/row-target.js";
import { tableTarget, mayView, requireWhole, databaseIfAny } from "../target/table-target.js";
import type { Needs, TableTarget } from "../target/table-target.js";
import { insertList } from "./bulk-insert.js";
import { insertRows } from "./insert-rows.js";
import type { Conflict } from "./insert-rows.js";

/** Inserts rows. @throws WriteRejected and what the engine says */
export async function insertView(visit: WriteVisit): Promise<Reply> {
  const format = streamFormat(visit.request);
  if (format !== null) return streamView(visit, format, { upserts: false });
  return withOptimisticSchema(visit, async (schema) => {
    const target = await tableTarget(visit, insertNeeds, schema);
    requireJsonType(visit);
    const document = await objectBody(visit, "JSON must be a dictionary");
    const operation = await insertOperation(visit, target, document);
    const once = await onceOnlyWithBody(visit);
    return () => respond(visit, operation, { once, describe: ({ rows }) => doneWithRows(rows, 201) });
  });
}

export const insertNeeds: Needs = { actions: ["insert-row"], refusal: "Permission denied" };

/** Rows to be inserted. @throws WriteRejected */
export async function insertOperation(
  visit: WriteVisit,
  target: TableTarget,
  document: JsonObject,
): Promise<WriteOperation> {
  const { database, table, schema } = target;
  const asked = rowsRequest(document, visit.rowhouse.setting("max_insert_rows"));
  checkRows(asked.rows, insertRules(table, asked.alter));
  if (asked.replace) await requireReplacing(visit, target);
  if (asked.alter) await requireAltering(visit, target);
  const types = await typesOf(visit, database.name, table.name);
  const values = acceptRows(types, asked.rows.map(rowValues));
  // Rows that were ignored come back as they are stored.
  const isOwn = !(asked.returns && asked.ignore) || (await mayView(visit, target));
  const returned = isOwn ? ownColumns : keyColumns;
  return {
    database,
    table: table.name,
    schema,
    list: asked.alter ? null : listOf(target, asked, values),
    run: async (transaction) => {
      const wide = await widenFor(transaction, table, asked);
      const readable = { ...target.readable, table: wide.table };
      return { ...(await insert(transaction, { readable, asked, values, returned })), widened: wide.widened };
    },
    events: ({ widened }) => [
      ...widenedEvents(visit, target, widened),
      {
        name: "insert-rows",
        ...eventFacts(visit, target),
        num_rows: values.length,
        ignore: asked.ignore,
        replace: asked.replace,
      },
    ],
  };
}

/** Replacing a row changes it, also one that can't be seen. @throws WriteRejected (403) */
export async function requireReplacing(
  visit: WriteVisit,
  { database, table, readable }: TableTarget,
): Promise<void> {
  await requirePermission(
    visit,
    ["update-row", [database.name, table.name]],
    'Permission denied: need update-row to use "replace"',
  );
  requireWhole(readable);
}

interface Insert {
  readonly readable: ReadableTable;
  readonly asked: RowsRequest;
  readonly values: readonly RowValues[];
  readonly returned: (table: Table) => readonly string[];
}

async function insert(
  transaction: Transaction,
  { readable, asked, values, returned }: Insert,
): Promise<Outcome> {
  const { table } = readable;
  const returning = asked.returns ? addressColumns(table) : [];
  const { count, stored } = await insertRows(transaction, {
    table: table.name,
    rows: values,
    conflict: conflictOf(asked),
    returning,
  });
  if (!asked.returns) return { count, rows: null };
  const sought: SoughtRows[] = [{ columns: returning, values: stored }];
  if (asked.ignore) sought.push(sentKeys(table, values));
  const orderBy = addressColumns(table);
  const rows = await storedRows(transaction, { readable, columns: returned(table), sought, orderBy });
  return { count, rows };
}

const listOf = (
  { readable }: TableTarget,
  asked: RowsRequest,
  values: readonly RowValues[],
): ListStatement<Outcome> | null =>
  insertList({
    readable,
    values,
    conflict: conflictOf(asked),
    returned: asked.returns ? ownColumns(readable.table) : null,
  });

function conflictOf({ ignore, replace }: RowsRequest): Conflict {
  if (ignore) return "ignore";
  return replace ? "replace" : "fail";
}

/** Makes a write up for a schema, or says why there can be none. @returns what does it, under this schema or not at all */
type MakeUp<T> = (schema: Schema | null) => Promise<() => Promise<T>>;

/**
 * Makes a write up for the schema as it was seen last and does it: that takes no look at the file, for which a commit
 * under way would have to be waited for. What fails under a schema that turns out to be an old one is made up anew.
 *
 * @throws whatever `makeUp` and what it makes throw under the current schema
 */
export async function withOptimisticSchema<T>(visit: WriteVisit, makeUp: MakeUp<T>): Promise<T> {
  const database = databaseIfAny(visit);
  const schema = database?.lastSchema ?? null;
  if (database === undefined || schema === null) return (await makeUp(null))();
  return under(schema, database, makeUp);
}

async function under<T>(schema: Schema, database: Database, makeUp: MakeUp<T>): Promise<T> {
  let write: (() => Promise<T>) | null = null;
  try {
    write = await makeUp(schema);
    return await write();
  } catch (error) {
    // What was done is done, whatever went wrong after it.
    if (write !== null && !(error instanceof SchemaChanged)) throw error;
    if (isForbidden(error)) throw error;
    const current = await database.schema();
    if (current.version === schema.version) throw error;
    return under(current, database, makeUp);
  }
}

/** Who may not do this under an old schema learns nothing of the new one. */
const isForbidden = (error: unknown): boolean => error instanceof RowhouseError && error.status === 403;
