import { WriteRejected, quoteIdentifier } from "rowhouse/plugin-api";
import type { Reply, SqlValue } from "rowhouse/plugin-api";
import { jsonBody, done } from "../json/body.js";
import { isObject, truthy } from "../json/cell-values.js";
import { transact } from "../operation.js";
import type { WriteVisit } from "../target/authorize-write.js";
import { mayViewNamed, namedTable, requireWhole, tableTarget } from "../target/table-target.js";
import type { Needs, TableTarget } from "../target/table-target.js";

const needs: Needs = { actions: ["drop-table"], refusal: "Permission denied" };

/**
 * Drops a table, or tells what would be lost as long as the request is not confirmed. Without `view-table` that is not
 * told, and the answer is the same for a table that does not exist.
 */
export async function dropView(visit: WriteVisit): Promise<Reply> {
  const { rowhouse, actor } = visit;
  if (!(await mayViewNamed(visit))) {
    const names = await namedTable(visit, needs);
    if (!(await isConfirmed(visit))) return question(names);
  }
  const target = await tableTarget(visit, needs);
  const { database, table } = target;
  requireWhole(target.readable);
  if (!(await isConfirmed(visit))) {
    return question({ database: database.name, table: table.name, row_count: await count(target) });
  }
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

interface Lost {
  readonly database: string;
  readonly table: string;
  readonly row_count?: SqlValue;
}

const question = (lost: Lost): Reply => done({ ...lost, message: 'Pass "confirm": true to confirm' });

async function count({ database, table }: TableTarget): Promise<SqlValue> {
  const { rows } = await database.read(`select count(*) from ${quoteIdentifier(table.name)}`);
  return rows[0]?.[0] ?? 0;
}
