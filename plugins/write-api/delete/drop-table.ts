import {
  defineRoute,
  Forbidden,
  type Reply,
  type Schema,
  type SqlValue,
  type Table,
} from "rowhouse/plugin-api";
import type { TableTarget } from "rowhouse/plugin-api/http";
import { okReply, optionalBody } from "../json/body.js";
import { truthy } from "../json/cell-values.js";
import { eventFacts, runTransaction } from "../operation.js";
import {
  canView,
  isHiddenIndex,
  requirePermission,
  requireUnrestricted,
  requireUserTable,
  type WriteContext,
} from "../target/write-access.js";
import { onTable, requireTable, writeRoute } from "../target/write-route.js";

/** The table of a drop, for actors who may drop it. */
const droppedTable = defineRoute<"table">({
  name: "drop-table",
  path: "/:database/:resource/-/drop",
  target: "table",
  requires: onTable("drop-table"),
  verify: requireTable,
  mutates: true,
  view: ({ target }) => confirmationReply({ database: target.database.name, table: target.table.name }),
});

/**
 * `POST /<database>/<table>/-/drop`. Without `confirm` it only returns what would be lost. For actors without
 * `view-table` that reply has no row count, and is the same for a table that does not exist. So the target is the database.
 */
export const dropTableRoute = writeRoute<"database">({
  name: "drop-table",
  path: "/:database/:resource/-/drop",
  target: "database",
  requires: onTable("drop-table"),
  async verify({ rowhouse, actor, names }) {
    const { database, resource: table = "" } = names;
    if (await canView({ rowhouse, actor }, { database, table }))
      await rowhouse.authorizedTarget(droppedTable, { database, resource: table }, actor);
  },
  async prepare(visit) {
    const { rowhouse, actor, names } = visit;
    const { database, resource: table = "" } = names;
    const confirmed = await isConfirmed(visit);
    if (!confirmed && !(await canView(visit, { database, table }))) {
      // A table that does not exist is 403 then, unless its name could not be viewed either.
      if (rowhouse.settings.get("conceal_missing")?.value === true) throw new Forbidden("Permission denied");
      return async () => confirmationReply({ database, table });
    }
    // A confirmation reads without a transaction, which would detect that the last known schema is outdated.
    if (!confirmed) await rowhouse.databases.get(database)?.schema();
    const target = await rowhouse.authorizedTarget(droppedTable, { database, resource: table }, actor);
    requireUserTable(target.table);
    requireUnrestricted(target.source);
    await requireDroppableIndexes(visit, target);
    return confirmed
      ? () => dropTable(visit, target)
      : async () => confirmationReply({ database, table, row_count: await count(target) });
  },
});

/** @throws WriteRejected (403) if a full-text table over the table is hidden from the actor, who may not drop it either */
async function requireDroppableIndexes(context: WriteContext, target: TableTarget): Promise<void> {
  const { database, table, schema } = target;
  const refusal = `Permission denied: a part of ${table.name} is hidden from you`;
  for (const { name } of searchTablesOf(table, schema)) {
    if (await isHiddenIndex(context, target, name))
      await requirePermission(context, ["drop-table", [database.name, name]], refusal);
  }
}

async function dropTable(context: WriteContext, target: TableTarget): Promise<Reply> {
  const { database, table, schema } = target;
  const dropped = [...searchTablesOf(table, schema), table];
  await runTransaction(context, { database, table: table.name, schema }, async (transaction) => {
    for (const { name } of dropped)
      await transaction.run(`drop table ${database.dialect.quoteIdentifier(name)}`);
  });
  await context.rowhouse
    .serviceIfAny("events")
    ?.track({ name: "drop-table", ...eventFacts(context, target) });
  return okReply();
}

/** The full-text tables over a table. They have no text of their own, and keep a new table of this name from being searched. */
const searchTablesOf = ({ name: content }: Table, { tables }: Schema): readonly Table[] =>
  [...tables.values()].filter(
    ({ name, fullText }) => name !== content && fullText?.table === name && fullText.contentTable === content,
  );

/** With `"dry_run": true` the reply says what would be lost. A body that is not JSON does not confirm, and is no error. */
async function isConfirmed(visit: WriteContext): Promise<boolean> {
  const document = await optionalBody(visit);
  return truthy(document?.get("confirm")) && !truthy(document?.get("dry_run"));
}

interface AffectedTable {
  readonly database: string;
  readonly table: string;
  readonly row_count?: SqlValue;
}

const confirmationReply = (lost: AffectedTable): Reply =>
  okReply({ ...lost, message: 'Pass "confirm": true to confirm' });

async function count({ database, table }: TableTarget): Promise<SqlValue> {
  const { rows } = await database.read(
    `select count(*) from ${database.dialect.quoteIdentifier(table.name)}`,
  );
  return rows[0]?.[0] ?? 0;
}
