import { WriteRejected, quoteIdentifier } from "rowhouse/plugin-api";
import type { Reply } from "rowhouse/plugin-api";
import type { WriteVisit } from "../authorize-write.js";
import { Arguments } from "../arguments.js";
import { objectBody } from "../body.js";
import { eventFacts } from "../operation.js";
import { done } from "../replies.js";
import { alterTarget } from "../targets.js";
import { transact } from "../transact.js";

/** Takes an index of a table away. @throws WriteRejected and what the engine says */
export async function dropIndexView(visit: WriteVisit): Promise<Reply> {
  const target = await alterTarget(visit);
  const { database, table } = target;
  const body = new Arguments(await objectBody(visit, "JSON must be a dictionary"));
  const name = body.only("name").name("name");
  const index = table.indexes.find((one) => one.name === name);
  if (index === undefined) throw new WriteRejected([`no such index: ${name}`]);
  await transact(visit, { database, table: table.name }, (transaction) =>
    transaction.run(`drop index ${quoteIdentifier(name)}`),
  );
  const events = visit.rowhouse.serviceIfAny("events");
  await events?.track({ name: "drop-index", ...eventFacts(visit, target), index: name });
  return done();
}
