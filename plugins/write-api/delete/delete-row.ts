import { quoteIdentifier } from "rowhouse/plugin-api";
import type { Reply } from "rowhouse/plugin-api";
import { parseIfMatch } from "../conditional/if-match.js";
import type { Precondition } from "../conditional/if-match.js";
import { okReply } from "../json/body.js";
import { runOperation, eventFacts } from "../operation.js";
import type { WriteOperation } from "../operation.js";
import type { WriteVisit } from "../target/authorize-write.js";
import { rowTarget, addressColumns, whereEquals, rowAddress } from "../target/row-target.js";
import type { RowTarget } from "../target/row-target.js";
import type { RequiredPermissions } from "../target/table-target.js";

/** `POST /<database>/<table>/<key>/-/delete`. @throws WriteRejected, SqlFailed */
export async function deleteView(visit: WriteVisit): Promise<Reply> {
  const target = await rowTarget(visit, deletePermissions);
  await runOperation(visit, deleteOperation(visit, target, await parseIfMatch(visit, target)));
  return okReply();
}

export const deletePermissions: RequiredPermissions = {
  actions: ["delete-row"],
  deniedMessage: "Permission denied",
};

/** Prepares the deletion of one row. */
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
