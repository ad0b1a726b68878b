import { RawJson, WriteRejected, quoteIdentifier } from "rowhouse/plugin-api";
import type { Reply, SqlValue, Table, Transaction } from "rowhouse/plugin-api";
import type { WriteVisit } from "./admission.js";
import { objectBody } from "./body.js";
import { cellValue } from "./cell-values.js";
import type { RowValues } from "./cell-values.js";
import { isObject, truthy } from "./json-value.js";
import type { JsonObject } from "./json-value.js";
import { done } from "./replies.js";
import { addressColumns, whereEquals } from "./row-address.js";
import { keyedColumns, storedRows } from "./stored-rows.js";
import { rowAddress, rowTarget } from "./targets.js";
import { transact } from "./transact.js";

/** Changes columns of one row. @throws WriteRejected and what the engine says */
export async function updateView(visit: WriteVisit): Promise<Reply> {
  const { rowhouse, actor } = visit;
  const { database, table, key } = await rowTarget(visit, {
    actions: ["update-row"],
    refusal: "Permission denied",
  });
  const document = await objectBody(visit, "JSON must be a dictionary");
  const update = document.get("update");
  if (!isObject(update)) throw new WriteRejected(["JSON must contain an update dictionary"]);
  const changes = changesOf(update, table);
  const returns = truthy(document.get("return"));
  const row = await transact(visit, { database, table: table.name }, async (transaction) => {
    const before = await rowAddress(transaction.all.bind(transaction), { table, key });
    const address = changes.size === 0 ? before : await change(transaction, { table, changes, before });
    return returns ? storedRow(transaction, table, address) : null;
  });
  await rowhouse.serviceIfAny("events")?.track({
    name: "update-row",
    actor,
    created: new Date(),
    database: database.name,
    table: table.name,
    pks: key,
  });
  return done(row === null ? {} : { row: new RawJson(row) });
}

/** Values by column, under the columns' own spelling. @throws WriteRejected for a column that does not exist */
function changesOf(update: JsonObject, table: Table): RowValues {
  const columns = new Map(table.columns.map(({ name }) => [name.toLowerCase(), name]));
  const changes = new Map<string, SqlValue>();
  for (const [name, value] of update) {
    const column = columns.get(name.toLowerCase());
    if (column === undefined) throw new WriteRejected([noSuchColumn(name)]);
    changes.set(column, cellValue(value));
  }
  return changes;
}

const noSuchColumn = (name: string): string =>
  /[[\]]/.test(name) ? "'[' and ']' cannot be used in column names" : `no such column: ${name}`;

interface Change {
  readonly table: Table;
  readonly changes: RowValues;
  readonly before: readonly SqlValue[];
}

/** @returns the row's address afterwards: a change of its key moves it */
async function change(
  transaction: Transaction,
  { table, changes, before }: Change,
): Promise<readonly SqlValue[]> {
  const address = addressColumns(table);
  const assignments = [...changes.keys()].map((column) => `${quoteIdentifier(column)} = ?`).join(", ");
  const sql = `update ${quoteIdentifier(table.name)} set ${assignments} where ${whereEquals(address)}`;
  const params = [...changes.values(), ...before];
  if (table.kind === "virtual") {
    // Virtual tables return nothing.
    await transaction.run(sql, params);
    return before;
  }
  const returning = address.map(quoteIdentifier).join(", ");
  const { rows } = await transaction.all(`${sql} returning ${returning}`, params);
  return rows[0] ?? before;
}

async function storedRow(
  transaction: Transaction,
  table: Table,
  address: readonly SqlValue[],
): Promise<string | null> {
  const sought = [{ columns: addressColumns(table), values: [address] }];
  const [row] = await storedRows(transaction, { table, columns: keyedColumns(table), sought, orderBy: [] });
  return row ?? null;
}
