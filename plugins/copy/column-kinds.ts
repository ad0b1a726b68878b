import type { Column, Database, Table } from "rowhouse/plugin-api";
import type { Dialect } from "rowhouse/plugin-api/engine";
import { kindOf, type ValueKind } from "./carried-value.js";

/** The type of a column in the target, in the words of all engines; `declared` is the type that the source declares. */
export type CarriedType = "integer" | "float" | "number" | "text" | "blob" | "declared";

/** A table as it is read: its columns, preceded by the rowid if it has no other key. */
export interface SourceTable {
  readonly table: Table;
  readonly columns: readonly string[];
  /** The rowid is copied as first column, `rowid`. */
  readonly hasOwnKey: boolean;
  /** The statement that reads all rows. */
  readonly sql: string;
}

/** How a table is read. A column named `rowid` leaves no room for the rowid. */
export function sourceOf({ dialect }: Database, table: Table): SourceTable {
  const own = table.columns.filter(({ hidden }) => !hidden).map(({ name }) => name);
  const hasOwnKey = table.primaryKeys.length === 0 && table.rowidName === "rowid";
  const columns = hasOwnKey ? ["rowid", ...own] : own;
  const list = columns.map(dialect.quoteIdentifier).join(", ");
  return { table, columns, hasOwnKey, sql: `select ${list} from ${dialect.quoteIdentifier(table.name)}` };
}

/**
 * The types of a table's columns in the target, from the values that they hold, for which the table is read once. Where
 * both engines keep every value as it is, columns keep their declared types.
 */
export async function carriedTypes(
  database: Database,
  source: SourceTable,
  target: Dialect,
): Promise<readonly CarriedType[]> {
  if (database.dialect.definitions.flexibleTypes === true && target.definitions.flexibleTypes === true)
    return source.columns.map(() => "declared");
  const kinds = source.columns.map(() => new Set<ValueKind>());
  for await (const { rows } of database.stream(source.sql, [], NO_LIMIT)) {
    for (const row of rows) {
      row.forEach((value, index) => {
        const kind = kindOf(value);
        if (kind !== null) kinds[index]?.add(kind);
      });
    }
  }
  return kinds.map((seen, index) => {
    const column = source.table.columns.find(({ name }) => name === source.columns[index]);
    return seen.size === 0 ? declaredType(column) : typeFor(seen, target.definitions.numbers);
  });
}

const HOUR_MS = 3_600_000;
/** A copy may take long; its caller can stop it. */
export const NO_LIMIT = { timeLimitMs: HOUR_MS * 24, batchSize: 1_000 } as const;

/** A type that holds all of these values. Values of several kinds become text, and so do digits that would be lost. */
function typeFor(kinds: ReadonlySet<ValueKind>, numbers: Dialect["definitions"]["numbers"]): CarriedType {
  const only = (...some: readonly ValueKind[]): boolean => [...kinds].every((kind) => some.includes(kind));
  if (only("integer")) return "integer";
  if (only("real")) return "float";
  if (only("integer", "real", "decimal")) return "number";
  if (numbers === "decimals" && only("integer", "real", "decimal", "long decimal")) return "number";
  // Text among bytes becomes its bytes, which are shown as text again.
  return kinds.has("blob") ? "blob" : "text";
}

/** The type of a column without values, by its declaration. */
function declaredType(column: Column | undefined): CarriedType {
  switch (column?.affinity) {
    case "integer":
      return "integer";
    case "real":
      return "float";
    case "numeric":
      return "number";
    case "blob":
      return column.type === "" ? "text" : "blob";
    default:
      return "text";
  }
}
