import { foldName } from "../names/index.js";
import type { Database } from "./database.js";
import type { Schema, Table } from "./schema.js";
import { jsonText } from "../json/text.js";
import type { SqlInput } from "./values.js";

/**
 * True if the rows of a table are stored in its database. The rows of a view, of a table of a module or of another server can
 * change although the data of the database does not.
 *
 * @example
 * hasStoredRows(table); // true
 */
export const hasStoredRows = ({ kind, module, fullText }: Table): boolean =>
  kind === "shadow" || fullText !== null || (kind === "table" && module === null);

/** A table or view, and SQL of the caller, also parts of a statement. */
export interface ReadSource {
  readonly table?: Table | undefined;
  readonly sql?: readonly string[];
}

const unstoredBySchema = new WeakMap<Schema, readonly Table[]>();

/**
 * True if what is read certainly stays the same as long as the data is the same: all tables are stored, and neither the SQL
 * nor the views that it names, directly or through each other, read the time or something else.
 *
 * @example
 * dependsOnDataAlone(database, schema, { sql: ["select random()"] }); // false
 */
export function dependsOnDataAlone(
  { dialect }: Database,
  schema: Schema,
  { table, sql = [] }: ReadSource,
): boolean {
  const unstored =
    unstoredBySchema.get(schema) ?? [...schema.tables.values()].filter((one) => !hasStoredRows(one));
  unstoredBySchema.set(schema, unstored);
  // The definition in the schema: that of `table` may lack its SQL for an actor who may not see it.
  const reached = new Set(
    table === undefined || hasStoredRows(table) ? [] : [schema.tables.get(table.name) ?? table],
  );
  const isCertain = (text: string): boolean => {
    // More names than the SQL reads may be found, never fewer.
    const folded = foldName(text).replace(/(["'`])\1/g, "$1");
    for (const one of unstored) if (folded.includes(foldName(one.name))) reached.add(one);
    return dialect.isDeterministic?.(text) === true;
  };
  if (!sql.every(isCertain)) return false;
  for (const { kind, sql: definition } of reached)
    if (kind !== "view" || definition === null || !isCertain(definition)) return false;
  return true;
}

/**
 * A text that differs for different values, as part of a cache key. JSON writes infinities like NULL, and bytes like text.
 *
 * @example
 * paramsKey({ p0: null }) === paramsKey({ p0: new Real(Infinity) }); // false
 */
export const paramsKey = (params: Readonly<Record<string, SqlInput>>): string =>
  jsonText(
    Object.entries(params).map(([name, value]) =>
      value instanceof Uint8Array ? [name, "bytes", Buffer.from(value).toString("hex")] : [name, value],
    ),
    "words",
  );
