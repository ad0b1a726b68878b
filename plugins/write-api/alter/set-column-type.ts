import { defineRoute, WriteRejected, type Reply, type Services, type Visit } from "rowhouse/plugin-api";
import type { GivenColumnType } from "rowhouse/plugin-api/contracts";
import { rejectIfMatch } from "rowhouse/plugin-api/http";
import type { JsonObject, JsonValue } from "rowhouse/plugin-api/json";
import type { CreateRequest } from "../create/create-request.js";
import { Arguments } from "../json/arguments.js";
import { objectBody, okReply, requireKnownMembers } from "../json/body.js";
import { isList, isObject, storedJson } from "../json/cell-values.js";
import { eventFacts } from "../operation.js";
import { columnNamed } from "../rows/column-named.js";
import { redactReason } from "../target/redact-error.js";
import { requireUnrestricted, requireUserTable, type WriteContext } from "../target/write-access.js";
import { onTable } from "../target/write-route.js";

/**
 * `POST /<database>/<table>/-/set-column-type`. The type is stored outside of the database, so immutable databases are
 * allowed. Registered only when a plugin provides the service `columnTypes`.
 */
export const setColumnTypeRoute = defineRoute<"table">({
  name: "set-column-type",
  method: "POST",
  path: "/:database/:resource/-/set-column-type",
  target: "table",
  requires: onTable("alter-table"),
  view: async (visit) => {
    rejectIfMatch(visit.request);
    try {
      return await setColumnType(visit);
    } catch (error) {
      throw await redactReason(visit, visit.target, error);
    }
  },
});

async function setColumnType(visit: Visit<"table">): Promise<Reply> {
  const { rowhouse, target } = visit;
  const types = rowhouse.service("columnTypes");
  requireUnrestricted(target.source);
  requireUserTable(target.table);
  const document = await objectBody(visit, "JSON must be a dictionary");
  const body = new Arguments(document).allowOnly("column", "column_type");
  const column = columnNamed(target.table, body.name("column")).name;
  if (!body.has("column_type")) throw new WriteRejected([INVALID_COLUMN_TYPE]);
  const given = parseGivenType(types, body.get("column_type"));
  const { database, table } = target;
  await types.set([database.name, table.name, column], given);
  await rowhouse.serviceIfAny("events")?.track({
    name: "set-column-type",
    ...eventFacts(visit, target),
    column,
    column_type: given?.type ?? null,
  });
  return okReply({ database: database.name, table: table.name, column, column_type: given });
}

/** Column types of a new table, by column. */
export type NewColumnTypes = ReadonlyMap<string, GivenColumnType>;

/** Reads `column_type` of the columns of a request; ignored if no plugin provides column types. @throws WriteRejected */
export function newColumnTypes(
  { rowhouse }: WriteContext,
  document: JsonObject,
  { columns: newColumns }: CreateRequest,
): NewColumnTypes {
  const found = new Map<string, GivenColumnType>();
  const types = rowhouse.serviceIfAny("columnTypes");
  const columns = document.get("columns");
  if (types === null || newColumns === null || !isList(columns)) return found;
  for (const [index, { name }] of newColumns.entries()) {
    const column = columns[index] ?? null;
    const value = (isObject(column) ? column.get("column_type") : null) ?? null;
    // A text is the short form of a type without config, as in the metadata.
    const full = typeof value === "string" ? new Map([["type", value]]) : value;
    const given = full === null ? null : parseGivenType(types, full);
    if (given !== null) found.set(name, given);
  }
  return found;
}

/** Stores the column types of a new table and tracks their events. */
export async function setColumnTypes(
  { rowhouse, actor }: WriteContext,
  [database, table]: readonly [database: string, table: string],
  given: NewColumnTypes,
): Promise<void> {
  for (const [column, type] of given) {
    await rowhouse.service("columnTypes").set([database, table, column], type);
    const facts = { actor, created: new Date(), database, table, column };
    await rowhouse
      .serviceIfAny("events")
      ?.track({ name: "set-column-type", ...facts, column_type: type.type });
  }
}

const INVALID_COLUMN_TYPE = '"column_type" must be null or a dictionary with "type" and "config"';

/** Parses the type of a column in a request; null removes the type. @throws WriteRejected */
function parseGivenType(types: Services["columnTypes"], value: JsonValue): GivenColumnType | null {
  const given = readType(value);
  const mistake = given === null ? null : types.mistakeIn(given);
  if (mistake !== null) throw new WriteRejected([mistake]);
  if (types.keeps) return given;
  throw new WriteRejected(["Column types cannot be kept: start the server with --internal and a file"]);
}

function readType(value: JsonValue): GivenColumnType | null {
  if (value === null) return null;
  if (!isObject(value)) throw new WriteRejected([INVALID_COLUMN_TYPE]);
  requireKnownMembers(value, ["type", "config"]);
  const type = value.get("type");
  if (typeof type !== "string") throw new WriteRejected([INVALID_COLUMN_TYPE]);
  // The config as plain JSON values, as in the metadata.
  return { type, config: JSON.parse(storedJson(value.get("config") ?? null)) as unknown };
}
