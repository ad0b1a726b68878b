import { RawJson, reply, quoteIdentifier } from "rowhouse/plugin-api";
import type { Reply, ReadableTable, SqlValue, Table, Transaction } from "rowhouse/plugin-api";
import { parseIfMatch } from "../conditional/if-match.js";
import type { Precondition } from "../conditional/if-match.js";
import { rowVersion } from "../conditional/row-version.js";
import { objectBody, okReply } from "../json/body.js";
import { truthy } from "../json/cell-values.js";
import type { RowValues, JsonObject } from "../json/cell-values.js";
import { runOperation, eventFacts } from "../operation.js";
import type { WriteOperation } from "../operation.js";
import { addColumns, requireAlterPermission, schemaChangeEvents } from "../rows/add-columns.js";
import { applyColumnTypesToChanges, columnTypesOf } from "../rows/column-type-checks.js";
import { columnsWithKey, readStoredRows } from "../rows/stored-rows.js";
import type { WriteVisit } from "../target/authorize-write.js";
import { rowTarget, addressColumns, keyColumns, whereEquals, rowAddress } from "../target/row-target.js";
import type { RowTarget } from "../target/row-target.js";
import { canViewTable } from "../target/table-target.js";
import type { RequiredPermissions } from "../target/table-target.js";
import { parseChanges, parseChangesWithNewColumns } from "./changes.js";
import type { Changes } from "./changes.js";

/** `POST /<database>/<table>/<key>/-/update`. @throws WriteRejected, SqlFailed */
export async function updateView(visit: WriteVisit): Promise<Reply> {
  const target = await rowTarget(visit, updatePermissions);
  const document = await objectBody(visit, "JSON must be a dictionary");
  const precondition = await parseIfMatch(visit, target);
  const operation = await updateOperation(visit, target, document, precondition);
  const { rows, version = null } = await runOperation(visit, operation);
  const [row] = rows ?? [];
  const answer = okReply(row === undefined ? {} : { row: new RawJson(row) });
  return version === null ? answer : reply.withHeaders(answer, { etag: version });
}

export const updatePermissions: RequiredPermissions = {
  actions: ["update-row"],
  deniedMessage: "Permission denied",
};

/** Prepares the update of one row. @throws WriteRejected */
export async function updateOperation(
  visit: WriteVisit,
  target: RowTarget,
  document: JsonObject,
  precondition: Precondition | null = null,
): Promise<WriteOperation> {
  const { database, table, key } = target;
  const { values: sent, newColumns } = await readChanges(visit, target, document);
  const values = applyColumnTypesToChanges(await columnTypesOf(visit, database.name, table.name), sent);
  const returns = truthy(document.get("return"));
  const returned = returns && (await canViewTable(visit, target)) ? columnsWithKey : keyColumns;
  return {
    database,
    table: table.name,
    run: async (transaction) => {
      const all = transaction.all.bind(transaction);
      const before = await rowAddress(all, { readable: target.readable, key });
      await precondition?.check(transaction, before);
      const altered = await addColumns(transaction, table, newColumns);
      const readable = { ...target.readable, table: altered.table };
      const address =
        values.size === 0
          ? before
          : await updateRow(transaction, { table: altered.table, changes: values, before });
      const rows = returns ? await readStoredRow(transaction, { readable, address, returned }) : null;
      const version = precondition === null ? null : await rowVersion(all, readable, address);
      return { count: 1, rows, version, schemaChange: altered.schemaChange };
    },
    events: ({ schemaChange }) => [
      ...schemaChangeEvents(visit, target, schemaChange),
      { name: "update-row", ...eventFacts(visit, target), pks: key },
    ],
  };
}

async function readChanges(visit: WriteVisit, target: RowTarget, document: JsonObject): Promise<Changes> {
  if (!truthy(document.get("alter"))) {
    return { values: parseChanges(document, target.table), newColumns: [] };
  }
  await requireAlterPermission(visit, target);
  return parseChangesWithNewColumns(document, target.table);
}

interface RowUpdate {
  readonly table: Table;
  readonly changes: RowValues;
  readonly before: readonly SqlValue[];
}

/** @returns the row's address after the update, which differs if its key has changed */
async function updateRow(
  transaction: Transaction,
  { table, changes, before }: RowUpdate,
): Promise<readonly SqlValue[]> {
  const address = addressColumns(table);
  const assignments = [...changes.keys()].map((column) => `${quoteIdentifier(column)} = ?`).join(", ");
  const sql = `update ${quoteIdentifier(table.name)} set ${assignments} where ${whereEquals(address)}`;
  const params = [...changes.values(), ...before];
  if (table.kind === "virtual") {
    // Virtual tables do not support RETURNING.
    await transaction.run(sql, params);
    return before;
  }
  const returning = address.map(quoteIdentifier).join(", ");
  const { rows } = await transaction.all(`${sql} returning ${returning}`, params);
  return rows[0] ?? before;
}

interface ReturnedRow {
  readonly readable: ReadableTable;
  readonly address: readonly SqlValue[];
  readonly returned: (table: Table) => readonly string[];
}

const readStoredRow = (
  transaction: Transaction,
  { readable, address, returned }: ReturnedRow,
): Promise<readonly string[]> => {
  const { table } = readable;
  const lookups = [{ columns: addressColumns(table), values: [address] }];
  return readStoredRows(transaction, { readable, columns: returned(table), lookups, orderBy: [] });
};
