import { WriteRejected } from "rowhouse/plugin-api";
import type { GivenColumnType, Rowhouse } from "rowhouse/plugin-api";
import { isObject, storedJson } from "./json-value.js";
import type { JsonValue } from "./json-value.js";
import { requireKnown } from "./parameters.js";

type ColumnTypes = ReturnType<typeof columnTypes>;
const columnTypes = (rowhouse: Rowhouse) => rowhouse.service("columnTypes");

export const WRONG_FORM = '"column_type" must be null or a dictionary with "type" and "config"';

/** Reads what a request gives as the type of a column; null takes it away. @throws WriteRejected */
export function givenType(types: ColumnTypes, value: JsonValue): GivenColumnType | null {
  const given = readType(value);
  const mistake = given === null ? null : types.mistakeIn(given);
  if (mistake !== null) throw new WriteRejected([mistake]);
  if (types.keeps) return given;
  throw new WriteRejected(["Column types cannot be kept: start the server with --internal and a file"]);
}

function readType(value: JsonValue): GivenColumnType | null {
  if (value === null) return null;
  if (!isObject(value)) throw new WriteRejected([WRONG_FORM]);
  requireKnown(value, ["type", "config"]);
  const type = value.get("type");
  if (typeof type !== "string" || type === "") throw new WriteRejected([WRONG_FORM]);
  // Plain JSON, as the metadata would have it.
  return { type, config: JSON.parse(storedJson(value.get("config") ?? null)) as unknown };
}
