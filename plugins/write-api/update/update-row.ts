import { RawJson, reply, quoteIdentifier } from "rowhouse/plugin-api";
import type { Reply, ReadableTable, SqlValue, Table, Transaction } from "rowhouse/plugin-api";
import { preconditionOf } from "../conditional/if-match.js";
import type { Precondition } from "../conditional/if-match.js";
import { rowVersion } from "../conditional/row-version.js";
import { objectBody, done } from "../json/body.js";
import { truthy } from "../json/cell-values.js";
import type { RowValues, JsonObject } from "../json/cell-values.js";
import { perform, eventFacts } from "../operation.js";
import type { WriteOperation } from "../operation.js";
import { addColumns, requireAltering, widenedEvents } from "../rows/add-columns.js";
import { acceptChanges, typesOf } from "../rows/column-type-checks.js";
import { keyedColumns, storedRows } from "../rows/stored-rows.js";
import type { WriteVisit } from "../target/authorize-write.js";
import { rowTarget, addressColumns, keyColumns, whereEquals, rowAddress } from "../target/row-target.js";
import type { RowTarget } from "../target/row-target.js";
import { mayView } from "../target/table-target.js";
import type { Needs } from "../target/table-target.js";
import { changesOf, wideChangesOf } from "./changes.js";
import type { Changes } from "./changes.js";

/** Changes columns of one row. @throws WriteRejected and what the engine says */
export async function updateView(visit: WriteVisit): Promise<Reply> {
  const target = await rowTarget(visit, updateNeeds);
  const document = await objectBody(visit, "JSON must be a dictionary");
  const precondition = await preconditionOf(visit, target);
  const operation = await updateOperation(visit, target, document, precondition);
  const { rows, version = null } = await perform(visit, operation);
  const [row] = rows ?? [];
  const answer = done(row === undefined ? {} : { row: new RawJson(row) });
  return version === null ? answer : reply.withHeaders(answer, { etag: version });
}

export const updateNeeds: Needs = { actions: ["update-row"], refusal: "Permission denied" };

/** One row of which columns are to be changed. @throws WriteRejected */
export async function updateOperation(
  visit: WriteVisit,
  target: RowTarget,
  document: JsonObject,
  precondition: Precondition | null = null,
): Promise<WriteOperation> {
  const { database, table, key } = target;
  const { values: sent, newColumns } = await changesFor(visit, target, document);
  const values = acceptChanges(await typesOf(visit, database.name, table.name), sent);
  const returns = truthy(document.get("return"));
  const returned = returns && (await mayView(visit, target)) ? keyedColumns : keyColumns;
  return {
    database,
    table: table.name,
    run: async (transaction) => {
      const all = transaction.all.bind(transaction);
      const before = await rowAddress(all, { readable: target.readable, key });
      await precondition?.check(transaction, before);
      const wide = await addColumns(transaction, table, newColumns);
      const readable = { ...target.readable, table: wide.table };
      const address =
        values.size === 0
          ? before
          : await change(transaction, { table: wide.table, changes: values, before });
      const rows = returns ? await storedRow(transaction, { readable, address, returned }) : null;
      const version = precondition === null ? null : await rowVersion(all, readable, address);
      return { count: 1, rows, version, widened: wide.widened };
    },
    events: ({ widened }) => [
      ...widenedEvents(visit, target, widened),
      { name: "update-row", ...eventFacts(visit, target), pks: key },
    ],
  };
}

async function changesFor(visit: WriteVisit, target: RowTarget, document: JsonObject): Promise<Changes> {
  if (!truthy(document.get("alter"))) {
    return { values: changesOf(document, target.table), newColumns: [] };
  }
  await requireAltering(visit, target);
  return wideChangesOf(document, target.table);
}

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

interface Sought {
  readonly readable: ReadableTable;
  readonly address: readonly SqlValue[];
  readonly returned: (table: Table) => readonly string[];
}

const storedRow = (
  transaction: Transaction,
  { readable, address, returned }: Sought,
): Promise<readonly string[]> => {
  const { table } = readable;
  const sought = [{ columns: addressColumns(table), values: [address] }];
  return storedRows(transaction, { readable, columns: returned(table), sought, orderBy: [] });
};
