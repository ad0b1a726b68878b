import { quoteIdentifier } from "rowhouse/plugin-api";
import type { WriteVisit } from "../authorize-write.js";
import type { JsonObject } from "../json-value.js";
import { eventFacts } from "../operation.js";
import type { WriteOperation } from "../operation.js";
import type { TableTarget } from "../targets.js";
import { filterRequest, selectedRows } from "./filter-request.js";
import type { Filter } from "./filter-request.js";
import { firstAddresses, isSelected, rowsAt } from "./selection.js";

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
