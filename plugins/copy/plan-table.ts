import type { Schema, Table } from "rowhouse/plugin-api";
import { carriedTypes, contentsOf } from "./column-kinds.js";
import type { Sides } from "./copy-target.js";
import type { TableCopy } from "./source-table.js";
import { isSameEngine } from "./stored-statements.js";
import { sourceOf, withoutKey } from "./source-table.js";
import { inTargetNames } from "./target-names.js";

/**
 * How a table is read, and which types its columns have in the target. Columns keep their declared types in the same
 * engine. In another one, the rows are read once to find types that hold them.
 */
export async function planTable(sides: Sides, schema: Schema, table: Table): Promise<TableCopy> {
  const { from, to, losses } = sides;
  if (table.heirs !== undefined)
    losses.push(
      `${table.name}: its rows are copied without those of tables that inherit from it: ${table.heirs.join(", ")}`,
    );
  const renamed = inTargetNames(sides, schema, table);
  const source = sourceOf(from.dialect, table, renamed);
  if (isSameEngine(from.dialect, to.dialect))
    return { ...source, types: source.columns.map(() => "declared" as const) };
  const contents = await contentsOf(from, source);
  const types = carriedTypes(source, contents, sides);
  const hasNull = source.columns.some(
    (name, place) => renamed.primaryKeys.includes(name) && contents[place]?.hasNull,
  );
  if (!hasNull) return { ...source, types };
  const key = table.primaryKeys.join(", ");
  losses.push(`${table.name}: the primary key (${key}) is a unique constraint, because it contains NULL`);
  const keyless = sourceOf(from.dialect, table, withoutKey(renamed));
  return { ...keyless, types: keyless.hasOwnKey ? ["integer", ...types] : types };
}
