import { WriteRejected, quoteIdentifier } from "rowhouse/plugin-api";
import type { Reply, SqlValue } from "rowhouse/plugin-api";
import { jsonBody, okReply } from "../json/body.js";
import { isObject, truthy } from "../json/cell-values.js";
import { runTransaction } from "../operation.js";
import type { WriteVisit } from "../target/authorize-write.js";
import {
  canViewNamedTable,
  authorizedNames,
  requireUnrestricted,
  tableTarget,
} from "../target/table-target.js";
import type { RequiredPermissions, TableTarget } from "../target/table-target.js";

const dropPermissions: RequiredPermissions = { actions: ["drop-table"], deniedMessage: "Permission denied" };

/**
 * `POST /<database>/<table>/-/drop`. Without `confirm` it only returns what would be lost. For actors without
 * `view-table` that reply has no row count, and is the same for a table that does not exist.
 */
export async function dropView(visit: WriteVisit): Promise<Reply> {
  const { rowhouse, actor } = visit;
  if (!(await canViewNamedTable(visit))) {
    const names = await authorizedNames(visit, dropPermissions);
    if (!(await isConfirmed(visit))) return confirmationReply(names);
  }
  const target = await tableTarget(visit, dropPermissions);
  const { database, table } = target;
  requireUnrestricted(target.readable);
  if (!(await isConfirmed(visit))) {
    return confirmationReply({ database: database.name, table: table.name, row_count: await count(target) });
  }
  await runTransaction(visit, { database, table: table.name }, (transaction) =>
    transaction.run(`drop table ${quoteIdentifier(table.name)}`),
  );
  await rowhouse.serviceIfAny("events")?.track({
    name: "drop-table",
    actor,
    created: new Date(),
    database: database.name,
    table: table.name,
  });
  return okReply();
}

/** A body that is not JSON does not confirm, and is not an error. */
async function isConfirmed(visit: WriteVisit): Promise<boolean> {
  try {
    const document = await jsonBody(visit);
    return isObject(document) && truthy(document.get("confirm"));
  } catch (error) {
    if (error instanceof WriteRejected) return false;
    throw error;
  }
}

interface AffectedTable {
  readonly database: string;
  readonly table: string;
  readonly row_count?: SqlValue;
}

const confirmationReply = (lost: AffectedTable): Reply =>
  okReply({ ...lost, message: 'Pass "confirm": true to confirm' });

async function count({ database, table }: TableTarget): Promise<SqlValue> {
  const { rows } = await database.read(`select count(*) from ${quoteIdentifier(table.name)}`);
  return rows[0]?.[0] ?? 0;
}
