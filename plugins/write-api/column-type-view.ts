import { WriteRejected } from "rowhouse/plugin-api";
import type { Reply } from "rowhouse/plugin-api";
import type { WriteVisit } from "./authorize-write.js";
import { Arguments } from "./arguments.js";
import { objectBody } from "./body.js";
import { WRONG_FORM, givenType } from "./given-column-type.js";
import { eventFacts } from "./operation.js";
import { done } from "./replies.js";
import { sameName } from "./sql-parts.js";
import { describedTarget } from "./targets.js";
import type { TableTarget } from "./targets.js";

/** Says what a column holds, beside the database and not in it. @throws WriteRejected */
export async function columnTypeView(visit: WriteVisit): Promise<Reply> {
  const types = visit.rowhouse.service("columnTypes");
  const target = await describedTarget(visit);
  const body = new Arguments(await objectBody(visit, "JSON must be a dictionary")).only(
    "column",
    "column_type",
  );
  const column = columnIn(target, body.name("column"));
  if (!body.has("column_type")) throw new WriteRejected([WRONG_FORM]);
  const given = givenType(types, body.get("column_type"));
  const { database, table } = target;
  await types.set([database.name, table.name, column], given);
  await visit.rowhouse.serviceIfAny("events")?.track({
    name: "set-column-type",
    ...eventFacts(visit, target),
    column,
    column_type: given?.type ?? null,
  });
  const { name } = database;
  return done({ database: name, table: table.name, column, column_type: given });
}

function columnIn({ table }: TableTarget, name: string): string {
  const found = table.columns.find((column) => sameName(column.name, name));
  if (found === undefined) throw new WriteRejected([`no such column: ${name}`]);
  return found.name;
}
