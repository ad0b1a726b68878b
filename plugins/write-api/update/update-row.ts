import { reply, type SqlValue, type Table, type Transaction } from "rowhouse/plugin-api";
import { RawJson, type JsonObject } from "rowhouse/plugin-api/json";
import type { ReadableTable } from "rowhouse/plugin-api/contracts";
import { keyColumns, type Dialect } from "rowhouse/plugin-api/engine";
import { columnTypesOf } from "rowhouse/plugin-api/metadata";
import { parseIfMatch, rowVersion, type Precondition } from "../conditional/row-version.js";
import { objectBody, okReplyForRow, rejectDryRun } from "../json/body.js";
import { changesWithExactTexts, truthy, type RowValues } from "../json/cell-values.js";
import { eventFacts, runOperation, schemaChangeEvents, type WriteOperation } from "../operation.js";
import { addColumns, requireAlterPermission } from "../rows/add-columns.js";
import { applyColumnTypesToChanges, columnsWithKey, readStoredRows } from "../rows/rows-request.js";
import { redactKeyColumns } from "../target/redact-error.js";
import {
  addressColumns,
  requireRow,
  requireUniqueKeys,
  rowAddress,
  whereEquals,
  type RowTarget,
} from "../target/row-target.js";
import { canView, requireHiddenRowsKept, type WriteContext } from "../target/write-access.js";
import { onTable, writeRoute } from "../target/write-route.js";
import { parseChanges, parseChangesWithNewColumns, type Changes } from "./changes.js";

/** `POST /<database>/<table>/<key>/-/update`. */
export const updateRowRoute = writeRoute<"row">({
  name: "update-row",
  path: "/:database/:resource/:key/-/update",
  target: "row",
  requires: onTable("update-row"),
  verify: requireRow,
  async prepare(visit) {
    const { target } = visit;
    const document = await objectBody(visit, "JSON must be a dictionary");
    rejectDryRun(document);
    const operation = await updateOperation(visit, target, document, await parseIfMatch(visit, target));
    return async () => {
      const { count, rows, version = null } = await runOperation(visit, operation);
      const [row] = rows ?? [];
      const answer = okReplyForRow(count, row === undefined ? {} : { row: new RawJson(row) });
      return version === null ? answer : reply.withHeaders(answer, { etag: version });
    };
  },
  redact: (visit, error) => redactKeyColumns(visit, visit.target, error),
});

/** Prepares the update of one row. @throws WriteRejected */
export async function updateOperation(
  visit: WriteContext,
  target: RowTarget,
  document: JsonObject,
  precondition: Precondition | null,
): Promise<WriteOperation> {
  const { database, table, key } = target;
  const { dialect } = database;
  requireHiddenRowsKept(target);
  const { values: sent, newColumns } = await readChanges(visit, target, document);
  const values = applyColumnTypesToChanges(await columnTypesOf(visit, database.name, table.name), sent);
  const returns = truthy(document.get("return"));
  const returned = returns && (await canView(visit, target)) ? columnsWithKey : keyColumns;
  return {
    database,
    table: table.name,
    schema: target.schema,
    run: async (transaction) => {
      const all = transaction.all.bind(transaction);
      const before = await rowAddress(all, { dialect, source: target.source, key });
      await precondition?.check(transaction, before);
      const altered = await addColumns(transaction, { dialect, table }, newColumns);
      const source = { ...target.source, table: altered.table };
      const { count, address } =
        values.size === 0
          ? { count: 1, address: before }
          : await updateRow(transaction, { dialect, table: altered.table, changes: values, before });
      const rows = returns ? await readStoredRow(transaction, { dialect, source, address, returned }) : null;
      const version = precondition === null ? null : await rowVersion(dialect, all, source, address);
      return { count, rows, version, addresses: [address], schemaChange: altered.schemaChange };
    },
    events: ({ count, schemaChange }) => [
      ...schemaChangeEvents(visit, target, schemaChange),
      ...(count === 0 ? [] : [{ name: "update-row", ...eventFacts(visit, target), pks: key } as const]),
    ],
  };
}

async function readChanges(visit: WriteContext, target: RowTarget, document: JsonObject): Promise<Changes> {
  const storedIn = { dialect: target.database.dialect, table: target.table };
  if (!truthy(document.get("alter"))) {
    return { values: await parseChanges(visit.request, document, storedIn), newColumns: [] };
  }
  await requireAlterPermission(visit, target);
  return parseChangesWithNewColumns(visit.request, document, storedIn);
}

interface RowUpdate {
  readonly dialect: Dialect;
  readonly table: Table;
  readonly changes: RowValues;
  readonly before: readonly SqlValue[];
}

/** @returns the number of changed rows, and the row's address, which differs if its key has changed */
async function updateRow(
  transaction: Transaction,
  { dialect, table, changes, before }: RowUpdate,
): Promise<{ readonly count: number; readonly address: readonly SqlValue[] }> {
  const address = addressColumns(table);
  const { quoteIdentifier } = dialect;
  const stored = changesWithExactTexts(changes, { dialect, table });
  const assignments = [...stored]
    .map(([name, value]) => `${quoteIdentifier(name)} = ${dialect.storedValue({ table, name }, "?", value)}`)
    .join(", ");
  const where = whereEquals(dialect, table, address);
  await requireUniqueKeys(transaction, { dialect, table, where, params: before });
  const sql = `update ${quoteIdentifier(table.name)} set ${assignments} where ${where}`;
  const params = [...stored.values(), ...before];
  if (table.kind === "virtual") {
    // Virtual tables do not support RETURNING.
    const { changes: count } = await transaction.run(sql, params);
    return { count, address: before };
  }
  const returning = address.map(quoteIdentifier).join(", ");
  const { rows } = await transaction.all(`${sql} returning ${returning}`, params);
  return { count: rows.length, address: rows[0] ?? before };
}

interface ReturnedRow {
  readonly dialect: Dialect;
  readonly source: ReadableTable;
  readonly address: readonly SqlValue[];
  readonly returned: (table: Table) => readonly string[];
}

const readStoredRow = (
  transaction: Transaction,
  { dialect, source, address, returned }: ReturnedRow,
): Promise<readonly string[]> => {
  const { table } = source;
  const lookups = [{ columns: addressColumns(table), values: [address] }];
  return readStoredRows(transaction, { dialect, source, columns: returned(table), lookups, orderBy: [] });
};
