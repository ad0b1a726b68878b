import type { GivenColumnType } from "rowhouse/plugin-api";
import type { WriteVisit } from "./authorize-write.js";
import type { CreateRequest } from "./create-request.js";
import { givenType } from "./given-column-type.js";
import { isList, isObject } from "./json-value.js";
import type { JsonObject } from "./json-value.js";

/** What columns of a new table are to hold. */
export type NewColumnTypes = ReadonlyMap<string, GivenColumnType>;

/** Reads `column_type` of the columns of a request; without column types on this server it means nothing. @throws WriteRejected */
export function columnTypesOf(
  { rowhouse }: WriteVisit,
  document: JsonObject,
  { columns: asked }: CreateRequest,
): NewColumnTypes {
  const found = new Map<string, GivenColumnType>();
  const types = rowhouse.serviceIfAny("columnTypes");
  const columns = document.get("columns");
  if (types === null || asked === null || !isList(columns)) return found;
  for (const [index, { name }] of asked.entries()) {
    const column = columns[index] ?? null;
    const value = (isObject(column) ? column.get("column_type") : null) ?? null;
    // A name alone is the short form, as in the metadata.
    const full = typeof value === "string" ? new Map([["type", value]]) : value;
    const given = full === null ? null : givenType(types, full);
    if (given !== null) found.set(name, given);
  }
  return found;
}

/** Keeps the types of a table that has just been made, and tells plugins of them. */
export async function setColumnTypes(
  { rowhouse, actor }: WriteVisit,
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
