import { WriteRejected } from "rowhouse/plugin-api";
import type { GivenColumnType, Reply } from "rowhouse/plugin-api";
import type { WriteVisit } from "./admission.js";
import { Arguments } from "./arguments.js";
import { objectBody } from "./body.js";
import { isObject, storedJson } from "./json-value.js";
import type { JsonValue } from "./json-value.js";
import { eventFacts } from "./operation.js";
import { requireKnown } from "./parameters.js";
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
  const given = givenType(body.get("column_type"));
  const mistake = given === null ? null : types.mistakeIn(given);
  if (mistake !== null) throw new WriteRejected([mistake]);
  if (!types.keeps) {
    throw new WriteRejected(["Column types cannot be kept: start the server with --internal and a file"]);
  }
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

const WRONG_FORM = '"column_type" must be null or a dictionary with "type" and "config"';

function givenType(value: JsonValue): GivenColumnType | null {
  if (value === null) return null;
  if (!isObject(value)) throw new WriteRejected([WRONG_FORM]);
  requireKnown(value, ["type", "config"]);
  const type = value.get("type");
  if (typeof type !== "string" || type === "") throw new WriteRejected([WRONG_FORM]);
  // Plain JSON, as the metadata would have it.
  return { type, config: JSON.parse(storedJson(value.get("config") ?? null)) as unknown };
}
