import { queryPairs, quoteIdentifier } from "rowhouse/plugin-api";
import type { Reply, FilteredRows, SqlInput, Table, Transaction } from "rowhouse/plugin-api";
import { deleteNeeds } from "../delete/delete-row.js";
import { objectBody, done, listOf } from "../json/body.js";
import type { JsonObject, RowValues } from "../json/cell-values.js";
import { perform, eventFacts } from "../operation.js";
import type { WriteOperation, Outcome } from "../operation.js";
import { acceptChanges, typesOf } from "../rows/column-type-checks.js";
import type { WriteVisit } from "../target/authorize-write.js";
import { tableTarget } from "../target/table-target.js";
import type { TableTarget } from "../target/table-target.js";
import { changesOf } from "../update/changes.js";
import { updateNeeds } from "../update/update-row.js";
import { filterRequest, selectedRows, firstAddresses, isSelected, rowsAt } from "./selection.js";
import type { Filter } from "./selection.js";

/** Changes columns of the rows that filters select. @throws WriteRejected and what the engine says */
export async function updateRowsView(visit: WriteVisit): Promise<Reply> {
  const target = await tableTarget(visit, updateNeeds);
  const document = await objectBody(visit, "JSON must be a dictionary");
  return performed(visit, await updateFiltered(visit, target, { document, query: queryPairs(visit.request) }));
}

/** Deletes the rows that filters select. @throws WriteRejected and what the engine says */
export async function deleteRowsView(visit: WriteVisit): Promise<Reply> {
  const target = await tableTarget(visit, deleteNeeds);
  const document = await optionalBody(visit);
  return performed(visit, await deleteFiltered(visit, target, { document, query: queryPairs(visit.request) }));
}

/** The query string alone may say all there is to say. */
async function optionalBody(visit: WriteVisit): Promise<JsonObject> {
  const { length } = await visit.request.body();
  return length === 0 ? new Map() : objectBody(visit, "JSON must be a dictionary");
}

async function performed(visit: WriteVisit, operation: WriteOperation): Promise<Reply> {
  const { count, rows } = await perform(visit, operation);
  if (rows === null) return done({ row_count: count });
  return done({ dry_run: true, row_count: count, rows: listOf(rows) });
}

/** The rows that filters select, to be changed alike. @throws WriteRejected */
export async function updateFiltered(
  visit: WriteVisit,
  target: TableTarget,
  { document, query }: { readonly document: JsonObject; readonly query: Iterable<Filter> },
): Promise<WriteOperation> {
  const { database, table } = target;
  const { filters, dryRun } = filterRequest(document, query, ["update"]);
  const types = await typesOf(visit, database.name, table.name);
  const changes = acceptChanges(types, changesOf(document, table));
  const selected = await selectedRows(visit, target, filters);
  return {
    database,
    table: table.name,
    dryRun,
    run: async (transaction) => {
      const shown = dryRun ? await firstAddresses(transaction, table, selected) : null;
      const { count } = await change(transaction, { table, changes, selected });
      return { count, rows: shown === null ? null : await rowsAt(transaction, selected, shown) };
    },
    events: ({ count }) => [{ name: "update-rows", ...eventFacts(visit, target), num_rows: count }],
  };
}

interface Change {
  readonly table: Table;
  readonly changes: RowValues;
  readonly selected: FilteredRows;
}

async function change(
  transaction: Transaction,
  { table, changes, selected }: Change,
): Promise<Pick<Outcome, "count">> {
  const where = isSelected(table, selected);
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

/** The rows that filters select, to be deleted. @throws WriteRejected */
export async function deleteFiltered(
  visit: WriteVisit,
  target: TableTarget,
  { document, query }: { readonly document: JsonObject; readonly query: Iterable<Filter> },
): Promise<WriteOperation> {
  const { database, table } = target;
  const { filters, dryRun } = filterRequest(document, query, []);
  const selected = await selectedRows(visit, target, filters);
  return {
    database,
    table: table.name,
    dryRun,
    run: async (transaction) => {
      const shown = dryRun ? await firstAddresses(transaction, table, selected) : null;
      const rows = shown === null ? null : await rowsAt(transaction, selected, shown);
      const sql = `delete from ${quoteIdentifier(table.name)} where ${isSelected(table, selected)}`;
      const { changes } = await transaction.run(sql, selected.params);
      return { count: changes, rows };
    },
    events: ({ count }) => [{ name: "delete-rows", ...eventFacts(visit, target), num_rows: count }],
  };
}
