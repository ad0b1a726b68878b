import { quoteIdentifier } from "rowhouse/plugin-api";
import type { WriteVisit } from "./authorize-write.js";
import type { Precondition } from "./conditional/precondition.js";
import { eventFacts } from "./operation.js";
import type { WriteOperation } from "./operation.js";
import { addressColumns, whereEquals } from "./row-address.js";
import { rowAddress } from "./targets.js";
import type { Needs, RowTarget } from "./targets.js";

export const deleteNeeds: Needs = { actions: ["delete-row"], refusal: "Permission denied" };

/** One row to be deleted. */
export function deleteOperation(
  visit: WriteVisit,
  target: RowTarget,
  precondition: Precondition | null = null,
): WriteOperation {
  const { database, table, readable, key } = target;
  return {
    database,
    table: table.name,
    run: async (transaction) => {
      const address = await rowAddress(transaction.all.bind(transaction), { readable, key });
      await precondition?.check(transaction, address);
      const where = whereEquals(addressColumns(table));
      await transaction.run(`delete from ${quoteIdentifier(table.name)} where ${where}`, address);
      return { count: 1, rows: null };
    },
    events: () => [{ name: "delete-row", ...eventFacts(visit, target), pks: key }],
  };
}
