import type { Reply, Table, Transaction } from "rowhouse/plugin-api";
import { requirePermission } from "./admission.js";
import type { WriteVisit } from "./admission.js";
import { objectBody, requireJsonType } from "./body.js";
import { rowValues } from "./cell-values.js";
import type { RowValues } from "./cell-values.js";
import { insertRows } from "./insert-rows.js";
import type { Conflict } from "./insert-rows.js";
import { done, listOf } from "./replies.js";
import { addressColumns } from "./row-address.js";
import { checkColumns, rowsRequest } from "./rows-request.js";
import type { RowsRequest } from "./rows-request.js";
import { ownColumns, sentKeys, storedRows } from "./stored-rows.js";
import type { SoughtRows } from "./stored-rows.js";
import { tableTarget } from "./targets.js";
import { transact } from "./transact.js";

/** Inserts rows. @throws WriteRejected and what the engine says */
export async function insertView(visit: WriteVisit): Promise<Reply> {
  const { rowhouse, actor } = visit;
  const { database, table } = await tableTarget(visit, {
    actions: ["insert-row"],
    refusal: "Permission denied",
  });
  requireJsonType(visit);
  const document = await objectBody(visit, "JSON must be a dictionary");
  const asked = rowsRequest(document, rowhouse.setting("max_insert_rows"));
  checkColumns(asked.rows, table);
  if (asked.replace) {
    const refusal = 'Permission denied: need update-row to use "replace"';
    await requirePermission(visit, ["update-row", [database.name, table.name]], refusal);
  }
  const values = asked.rows.map(rowValues);
  const rows = await transact(visit, { database, table: table.name }, (transaction) =>
    insert(transaction, { table, asked, values }),
  );
  await rowhouse.serviceIfAny("events")?.track({
    name: "insert-rows",
    actor,
    created: new Date(),
    database: database.name,
    table: table.name,
    num_rows: values.length,
    ignore: asked.ignore,
    replace: asked.replace,
  });
  return done(asked.returns ? { rows: listOf(rows) } : {}, 201);
}

interface Insert {
  readonly table: Table;
  readonly asked: RowsRequest;
  readonly values: readonly RowValues[];
}

/** @returns the stored rows as JSON where they are asked for */
async function insert(
  transaction: Transaction,
  { table, asked, values }: Insert,
): Promise<readonly string[]> {
  const returning = asked.returns ? addressColumns(table) : [];
  const inserted = await insertRows(transaction, {
    table: table.name,
    rows: values,
    conflict: conflictOf(asked),
    returning,
  });
  if (!asked.returns) return [];
  const sought: SoughtRows[] = [{ columns: returning, values: inserted }];
  if (asked.ignore) sought.push(sentKeys(table, values));
  const orderBy = addressColumns(table);
  return storedRows(transaction, { table, columns: ownColumns(table), sought, orderBy });
}

function conflictOf({ ignore, replace }: RowsRequest): Conflict {
  if (ignore) return "ignore";
  return replace ? "replace" : "fail";
}
