import type { ListStatement, ReadableTable, Table, Transaction } from "rowhouse/plugin-api";
import { requireAltering, widenFor, widenedEvents } from "./add-columns.js";
import { requirePermission } from "./authorize-write.js";
import type { WriteVisit } from "./authorize-write.js";
import { rowValues } from "./cell-values.js";
import type { RowValues } from "./cell-values.js";
import { acceptRows, typesOf } from "./incoming-rows.js";
import { insertList } from "./insert-list.js";
import { insertRows } from "./insert-rows.js";
import type { Conflict } from "./insert-rows.js";
import type { JsonObject } from "./json-value.js";
import { eventFacts } from "./operation.js";
import type { Outcome, WriteOperation } from "./operation.js";
import { addressColumns, keyColumns } from "./row-address.js";
import { checkRows, insertRules, rowsRequest } from "./rows-request.js";
import type { RowsRequest } from "./rows-request.js";
import { ownColumns, sentKeys, storedRows } from "./stored-rows.js";
import type { SoughtRows } from "./stored-rows.js";
import { mayView, requireWhole } from "./targets.js";
import type { Needs, TableTarget } from "./targets.js";

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
