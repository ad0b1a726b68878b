import { quoteIdentifier } from "rowhouse/plugin-api";
import type { FilteredRows, SqlInput, Table, Transaction } from "rowhouse/plugin-api";
import type { WriteVisit } from "../authorize-write.js";
import type { RowValues } from "../cell-values.js";
import { changesOf } from "../changes.js";
import { acceptChanges, typesOf } from "../incoming-rows.js";
import type { JsonObject } from "../json-value.js";
import { eventFacts } from "../operation.js";
import type { Outcome, WriteOperation } from "../operation.js";
import type { TableTarget } from "../targets.js";
import { filterRequest, selectedRows } from "./filter-request.js";
import type { Filter } from "./filter-request.js";
import { firstAddresses, isSelected, rowsAt } from "./selection.js";

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
