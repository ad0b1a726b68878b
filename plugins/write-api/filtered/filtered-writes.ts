import { queryPairs, quoteIdentifier } from "rowhouse/plugin-api";
import type { Reply, FilteredRows, SqlInput, Table, Transaction } from "rowhouse/plugin-api";
import { deletePermissions } from "../delete/delete-row.js";
import { objectBody, okReply, jsonList } from "../json/body.js";
import type { JsonObject, RowValues } from "../json/cell-values.js";
import { runOperation, eventFacts } from "../operation.js";
import type { WriteOperation, Outcome } from "../operation.js";
import { applyColumnTypesToChanges, columnTypesOf } from "../rows/column-type-checks.js";
import type { WriteVisit } from "../target/authorize-write.js";
import { tableTarget } from "../target/table-target.js";
import type { TableTarget } from "../target/table-target.js";
import { parseChanges } from "../update/changes.js";
import { updatePermissions } from "../update/update-row.js";
import { parseFilterRequest, selectRows, firstAddresses, selectionCondition, rowsAt } from "./selection.js";
import type { Filter } from "./selection.js";

/** `POST /<database>/<table>/-/update`: updates the rows that match filters. @throws WriteRejected, SqlFailed */
export async function updateRowsView(visit: WriteVisit): Promise<Reply> {
  const target = await tableTarget(visit, updatePermissions);
  const document = await objectBody(visit, "JSON must be a dictionary");
  return runAndReply(
    visit,
    await updateFiltered(visit, target, { document, query: queryPairs(visit.request) }),
  );
}

/** `POST /<database>/<table>/-/delete`: deletes the rows that match filters. @throws WriteRejected, SqlFailed */
export async function deleteRowsView(visit: WriteVisit): Promise<Reply> {
  const target = await tableTarget(visit, deletePermissions);
  const document = await optionalBody(visit);
  return runAndReply(
    visit,
    await deleteFiltered(visit, target, { document, query: queryPairs(visit.request) }),
  );
}

/** The body may be empty, because filters can be in the query string. */
async function optionalBody(visit: WriteVisit): Promise<JsonObject> {
  const { length } = await visit.request.body();
  return length === 0 ? new Map() : objectBody(visit, "JSON must be a dictionary");
}

async function runAndReply(visit: WriteVisit, operation: WriteOperation): Promise<Reply> {
  const { count, rows } = await runOperation(visit, operation);
  if (rows === null) return okReply({ row_count: count });
  return okReply({ dry_run: true, row_count: count, rows: jsonList(rows) });
}

/** Prepares the same update of all rows that match filters. @throws WriteRejected */
export async function updateFiltered(
  visit: WriteVisit,
  target: TableTarget,
  { document, query }: { readonly document: JsonObject; readonly query: Iterable<Filter> },
): Promise<WriteOperation> {
  const { database, table } = target;
  const { filters, dryRun } = parseFilterRequest(document, query, ["update"]);
  const types = await columnTypesOf(visit, database.name, table.name);
  const changes = applyColumnTypesToChanges(types, parseChanges(document, table));
  const selected = await selectRows(visit, target, filters);
  return {
    database,
    table: table.name,
    dryRun,
    run: async (transaction) => {
      const shown = dryRun ? await firstAddresses(transaction, table, selected) : null;
      const { count } = await updateSelectedRows(transaction, { table, changes, selected });
      return { count, rows: shown === null ? null : await rowsAt(transaction, selected, shown) };
    },
    events: ({ count }) => [{ name: "update-rows", ...eventFacts(visit, target), num_rows: count }],
  };
}

interface SelectedRowsUpdate {
  readonly table: Table;
  readonly changes: RowValues;
  readonly selected: FilteredRows;
}

async function updateSelectedRows(
  transaction: Transaction,
  { table, changes, selected }: SelectedRowsUpdate,
): Promise<Pick<Outcome, "count">> {
  const where = selectionCondition(table, selected);
  if (changes.size === 0) {
    const sql = `select count(*) from ${quoteIdentifier(table.name)} where ${where}`;
    const { rows } = await transaction.all(sql, selected.params);
    return { count: Number(rows[0]?.[0] ?? 0) };
  }
  const params: Record<string, SqlInput> = { ...selected.params };
  const assignments = [...changes].map(([column, value], index) => {
    params[`set${index}`] = value;
    return `${quoteIdentifier(column)} = :set${index}`;
  });
  const sql = `update ${quoteIdentifier(table.name)} set ${assignments.join(", ")} where ${where}`;
  return { count: (await transaction.run(sql, params)).changes };
}

/** Prepares the deletion of all rows that match filters. @throws WriteRejected */
export async function deleteFiltered(
  visit: WriteVisit,
  target: TableTarget,
  { document, query }: { readonly document: JsonObject; readonly query: Iterable<Filter> },
): Promise<WriteOperation> {
  const { database, table } = target;
  const { filters, dryRun } = parseFilterRequest(document, query, []);
  const selected = await selectRows(visit, target, filters);
  return {
    database,
    table: table.name,
    dryRun,
    run: async (transaction) => {
      const shown = dryRun ? await firstAddresses(transaction, table, selected) : null;
      const rows = shown === null ? null : await rowsAt(transaction, selected, shown);
      const sql = `delete from ${quoteIdentifier(table.name)} where ${selectionCondition(table, selected)}`;
      const { changes } = await transaction.run(sql, selected.params);
      return { count: changes, rows };
    },
    events: ({ count }) => [{ name: "delete-rows", ...eventFacts(visit, target), num_rows: count }],
  };
}
