import { parseIfMatch, type Precondition } from "../conditional/row-version.js";
import { okReplyForRow, optionalBody, rejectDryRun } from "../json/body.js";
import { eventFacts, runOperation, type WriteOperation } from "../operation.js";
import { redactKeyColumns } from "../target/redact-error.js";
import {
  addressColumns,
  requireRow,
  requireUniqueKeys,
  rowAddress,
  whereEquals,
  type RowTarget,
} from "../target/row-target.js";
import type { WriteContext } from "../target/write-access.js";
import { onTable, writeRoute } from "../target/write-route.js";

/** `POST /<database>/<table>/<key>/-/delete`. */
export const deleteRowRoute = writeRoute<"row">({
  name: "delete-row",
  path: "/:database/:resource/:key/-/delete",
  target: "row",
  requires: onTable("delete-row"),
  verify: requireRow,
  async prepare(visit) {
    const { target } = visit;
    rejectDryRun(await optionalBody(visit));
    const operation = deleteOperation(visit, target, await parseIfMatch(visit, target));
    return async () => okReplyForRow((await runOperation(visit, operation)).count);
  },
  redact: (visit, error) => redactKeyColumns(visit, visit.target, error),
});

/** Prepares the deletion of one row. */
export function deleteOperation(
  visit: WriteContext,
  target: RowTarget,
  precondition: Precondition | null,
): WriteOperation {
  const { database, table, source, key } = target;
  const { dialect } = database;
  return {
    database,
    table: table.name,
    schema: target.schema,
    run: async (transaction) => {
      const address = await rowAddress(transaction.all.bind(transaction), { dialect, source, key });
      await precondition?.check(transaction, address);
      const where = whereEquals(dialect, table, addressColumns(table));
      await requireUniqueKeys(transaction, { dialect, table, where, params: address });
      const sql = `delete from ${dialect.quoteIdentifier(table.name)} where ${where}`;
      return { count: (await transaction.run(sql, address)).changes, rows: null };
    },
    events: ({ count }) =>
      count === 0 ? [] : [{ name: "delete-row", ...eventFacts(visit, target), pks: key }],
  };
}
