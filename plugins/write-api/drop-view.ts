import { WriteRejected, quoteIdentifier } from "rowhouse/plugin-api";
import type { Reply } from "rowhouse/plugin-api";
import type { WriteVisit } from "./admission.js";
import { jsonBody } from "./body.js";
import { isObject, truthy } from "./json-value.js";
import { done } from "./replies.js";
import { requireWhole, tableTarget } from "./targets.js";
import type { TableTarget } from "./targets.js";
import { transact } from "./transact.js";

/** Drops a table, or tells what would be lost while nobody has confirmed. */
export async function dropView(visit: WriteVisit): Promise<Reply> {
  const { rowhouse, actor } = visit;
  const target = await tableTarget(visit, { actions: ["drop-table"], refusal: "Permission denied" });
  requireWhole(target.readable);
  if (!(await isConfirmed(visit))) return question(target);
  const { database, table } = target;
  await transact(visit, { database, table: table.name }, (transaction) =>
    transaction.run(`drop table ${quoteIdentifier(table.name)}`),
  );
  await rowhouse.serviceIfAny("events")?.track({
    name: "drop-table",
    actor,
    created: new Date(),
    database: database.name,
    table: table.name,
  });
  return done();
}

/** A body that is not JSON confirms nothing and is no mistake. */
async function isConfirmed(visit: WriteVisit): Promise<boolean> {
  try {
    const document = await jsonBody(visit);
    return isObject(document) && truthy(document.get("confirm"));
  } catch (error) {
    if (error instanceof WriteRejected) return false;
    throw error;
  }
}

async function question({ database, table }: TableTarget): Promise<Reply> {
  const { rows } = await database.read(`select count(*) from ${quoteIdentifier(table.name)}`);
  return done({
    database: database.name,
    table: table.name,
    row_count: rows[0]?.[0],
    message: 'Pass "confirm": true to confirm',
  });
}
