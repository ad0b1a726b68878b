import { type Actor, type Database, type Rowhouse, type SqlInput, type Table } from "rowhouse/plugin-api";
import { actorMatches } from "rowhouse/plugin-api/access";
import type { ReadScope } from "rowhouse/plugin-api/contracts";
import { configOf } from "./config.js";

interface Reading {
  readonly actor: Actor | null;
  readonly database: Database;
  readonly table: Table;
}

/** The rows and columns of a table that are hidden from this actor; null if the actor may read all. */
export async function scopeOf(
  rowhouse: Rowhouse,
  { actor, database, table }: Reading,
): Promise<ReadScope | null> {
  const config = await configOf(rowhouse, { database: database.name, table: table.name });
  if (config === null) return null;
  if (config.exempt !== null && actorMatches(actor, config.exempt)) return null;
  return {
    table: table.name,
    hiddenColumns: config.hide,
    ...(config.column !== undefined &&
      ownRows({ database, table }, config.column, actor?.[config.actor ?? "id"])),
  };
}

/** Rows with this value in the column, or one of this list of values. Rows without an owner are hidden. */
function ownRows(
  { database: { dialect }, table }: Omit<Reading, "actor">,
  column: string,
  value: unknown,
): Pick<ReadScope, "where" | "params"> {
  const values = (Array.isArray(value) ? value : [value]).filter(isOwner);
  // The configuration may apply to tables without this column. They show no rows, because the rule cannot be applied.
  const hasColumn = table.columns.some(({ name }) => name === column);
  if (!hasColumn || values.length === 0) return { where: dialect.never };
  const filter = dialect.filter({ table, name: column }, { kind: "in", negated: false, values });
  const params = filter.values.map((one, index): [string, SqlInput] => [`p${index}`, one]);
  return { where: filter.where, params: Object.fromEntries(params) };
}

const isOwner = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number";
