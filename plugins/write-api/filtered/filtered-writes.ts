import { type SqlInput, type SqlValue, type Table, type Transaction } from "rowhouse/plugin-api";
import { queryPairs, type TableTarget } from "rowhouse/plugin-api/http";
import type { Dialect } from "rowhouse/plugin-api/engine";
import type { FilteredRows } from "rowhouse/plugin-api/contracts";
import type { JsonObject } from "rowhouse/plugin-api/json";
import { columnTypesOf } from "rowhouse/plugin-api/metadata";
import { jsonList, objectBody, okReply } from "../json/body.js";
import { changesWithExactTexts, type RowValues } from "../json/cell-values.js";
import { eventFacts, runOperation, type Outcome, type WriteOperation } from "../operation.js";
import { applyColumnTypesToChanges, columnsWithKey, readStoredRows } from "../rows/rows-request.js";
import { requireHiddenRowsKept, type WriteContext } from "../target/write-access.js";
import { addressColumns, requireUniqueKeys } from "../target/row-target.js";
import { onTable, requireTable, writeRoute, type PreparedWrite } from "../target/write-route.js";
import { parseChanges } from "../update/changes.js";
import {
  firstAddresses,
  parseFilterRequest,
  selectionCondition,
  selectRows,
  type Filter,
} from "./selection.js";

/** `POST /<database>/<table>/-/update`: updates the rows that match filters. */
export const updateRowsRoute = writeRoute<"table">({
  name: "update-rows",
  path: "/:database/:resource/-/update",
  target: "table",
  requires: onTable("update-row"),
  verify: requireTable,
  async prepare(visit) {
    const document = await objectBody(visit, "JSON must be a dictionary");
    const query = queryPairs(visit.request);
    return runAndReply(visit, await updateFiltered(visit, visit.target, { document, query }));
  },
});

/** `POST /<database>/<table>/-/delete`: deletes the rows that match filters. */
export const deleteRowsRoute = writeRoute<"table">({
  name: "delete-rows",
  path: "/:database/:resource/-/delete",
  target: "table",
  requires: onTable("delete-row"),
  verify: requireTable,
  async prepare(visit) {
    const document = await bodyOrNoMembers(visit);
    const query = queryPairs(visit.request);
    return runAndReply(visit, await deleteFiltered(visit, visit.target, { document, query }));
  },
});

/** The members of the body, which may be empty, because filters can be in the query string. */
async function bodyOrNoMembers(visit: WriteContext): Promise<JsonObject> {
  const { length } = await visit.request.body();
  return length === 0 ? new Map() : objectBody(visit, "JSON must be a dictionary");
}

const runAndReply =
  (context: WriteContext, operation: WriteOperation): PreparedWrite =>
  async () => {
    const { count, rows } = await runOperation(context, operation);
    if (rows === null) return okReply({ row_count: count });
    return okReply({ dry_run: true, row_count: count, rows: jsonList(rows) });
  };

/** The rows at these addresses as JSON, without what is hidden from the actor. An update may have changed them. */
function rowsAt(
  transaction: Transaction,
  { database: { dialect }, source }: TableTarget,
  addresses: readonly (readonly SqlValue[])[],
): Promise<readonly string[]> {
  const address = addressColumns(source.table);
  const lookups = [{ columns: address, values: addresses }];
  const columns = columnsWithKey(source.table);
  return readStoredRows(transaction, { dialect, source, columns, lookups, orderBy: address });
}

/** Prepares the same update of all rows that match filters. @throws WriteRejected */
export async function updateFiltered(
  visit: WriteContext,
  target: TableTarget,
  { document, query }: { readonly document: JsonObject; readonly query: Iterable<Filter> },
): Promise<WriteOperation> {
  const { database, table } = target;
  const { dryRun, ...selection } = parseFilterRequest(document, query, ["update"]);
  requireHiddenRowsKept(target);
  const types = await columnTypesOf(visit, database.name, table.name);
  const storedIn = { dialect: database.dialect, table };
  const changes = applyColumnTypesToChanges(types, await parseChanges(visit.request, document, storedIn));
  const selected = await selectRows(visit, target, selection);
  return {
    database,
    table: table.name,
    schema: target.schema,
    dryRun,
    run: async (transaction) => {
      const shown = dryRun ? await firstAddresses(database.dialect, transaction, table, selected) : null;
      const { count } = await updateSelectedRows(transaction, {
        dialect: database.dialect,
        table,
        changes,
        selected,
      });
      return { count, rows: shown === null ? null : await rowsAt(transaction, target, shown) };
    },
    events: ({ count }) => [{ name: "update-rows", ...eventFacts(visit, target), num_rows: count }],
  };
}

interface SelectedRowsUpdate {
  readonly dialect: Dialect;
  readonly table: Table;
  readonly changes: RowValues;
  readonly selected: FilteredRows;
}

async function updateSelectedRows(
  transaction: Transaction,
  { dialect, table, changes, selected }: SelectedRowsUpdate,
): Promise<Pick<Outcome, "count">> {
  const where = selectionCondition(dialect, table, selected);
  const { quoteIdentifier } = dialect;
  await requireUniqueKeys(transaction, { dialect, table, where, params: selected.params });
  if (changes.size === 0) {
    const sql = `select count(*) from ${quoteIdentifier(table.name)} where ${where}`;
    const { rows } = await transaction.all(sql, selected.params);
    return { count: Number(rows[0]?.[0] ?? 0) };
  }
  const params: Record<string, SqlInput> = { ...selected.params };
  const assignments = [...changesWithExactTexts(changes, { dialect, table })].map(
    ([column, value], index) => {
      params[`set${index}`] = value;
      return `${quoteIdentifier(column)} = ${dialect.storedValue({ table, name: column }, `:set${index}`, value)}`;
    },
  );
  const sql = `update ${quoteIdentifier(table.name)} set ${assignments.join(", ")} where ${where}`;
  return { count: (await transaction.run(sql, params)).changes };
}

/** Prepares the deletion of all rows that match filters. @throws WriteRejected */
export async function deleteFiltered(
  visit: WriteContext,
  target: TableTarget,
  { document, query }: { readonly document: JsonObject; readonly query: Iterable<Filter> },
): Promise<WriteOperation> {
  const { database, table } = target;
  const { dryRun, ...selection } = parseFilterRequest(document, query, []);
  const selected = await selectRows(visit, target, selection);
  return {
    database,
    table: table.name,
    schema: target.schema,
    dryRun,
    run: async (transaction) => {
      const shown = dryRun ? await firstAddresses(database.dialect, transaction, table, selected) : null;
      const rows = shown === null ? null : await rowsAt(transaction, target, shown);
      const { dialect } = database;
      const { params } = selected;
      const where = selectionCondition(dialect, table, selected);
      await requireUniqueKeys(transaction, { dialect, table, where, params });
      const sql = `delete from ${dialect.quoteIdentifier(table.name)} where ${where}`;
      const { changes } = await transaction.run(sql, params);
      return { count: changes, rows };
    },
    events: ({ count }) => [{ name: "delete-rows", ...eventFacts(visit, target), num_rows: count }],
  };
}
