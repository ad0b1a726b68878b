import type { Column } from "../engine/schema.js";
import { schemaRef, type JsonSchema, type Reference } from "./document.js";

const INTEGER = { type: "integer", format: "int64" };
const NUMBER = { type: "number", format: "double" };
const TEXT = { type: "string" };

/** The usual values of a column by its affinity. */
const byAffinity: Readonly<Record<Column["affinity"], readonly (JsonSchema | Reference)[]>> = {
  integer: [INTEGER],
  real: [NUMBER],
  numeric: [INTEGER, NUMBER, TEXT],
  text: [TEXT],
  blob: [],
};

/**
 * The values of a column by its declared type. SQLite enforces types only in STRICT tables, so other values are
 * possible.
 *
 * @example
 * const { description } = columnSchema(table.columns[1]);
 * description; // "Declared as TEXT"
 */
export function columnSchema({ type, affinity, notNull, primaryKeyPosition }: Column): JsonSchema {
  const declared = type === "" ? {} : { description: `Declared as ${type}` };
  const kinds = type.toUpperCase().includes("BLOB") ? [schemaRef("Blob"), TEXT] : byAffinity[affinity];
  const [only] = kinds;
  if (only === undefined) return declared;
  const isNeverNull = notNull || (affinity === "integer" && primaryKeyPosition > 0);
  if (isNeverNull && kinds.length === 1) return { ...declared, ...only };
  return { ...declared, anyOf: isNeverNull ? kinds : [...kinds, { type: "null" }] };
}

/**
 * The schema of an object with a member for each column. Columns may have any name, also those of members of
 * `Object.prototype`.
 *
 * @example
 * columnsSchema([["id", { type: "integer" }]]); // { type: "object", properties: { id: { type: "integer" } } }
 */
export function columnsSchema(
  properties: readonly (readonly [name: string, schema: JsonSchema])[],
): JsonSchema {
  return { type: "object", properties: Object.fromEntries(properties) };
}
