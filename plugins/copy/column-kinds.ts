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
  { from, to, losses }: Sides,
  source: SourceTable,
): Promise<readonly CarriedType[]> {
  const { definitions } = to.dialect;
  if (from.dialect.definitions.flexibleTypes === true && definitions.flexibleTypes === true)
    return source.columns.map(() => "declared");
  const contents = await contentsOf(from, source);
  return contents.map((seen, index) => {
    const name = source.columns[index] ?? "";
    const type =
      seen.size === 0
        ? declaredType(source.table.columns.find((column) => column.name === name))
        : typeFor(new Set(seen.keys()), definitions);
    const converted = convertedKinds(seen, type);
    if (converted !== null) losses.push(`${source.table.name}.${name}: ${converted}`);
    return type;
  });
}

/** The databases of a copy, and what could not be carried. */
interface Sides {
  readonly from: Database;
  readonly to: Database;
  readonly losses: string[];
}

/** How many values of each kind a column holds. */
type Contents = ReadonlyMap<ValueKind, number>;

async function contentsOf(database: Database, { columns, sql }: SourceTable): Promise<readonly Contents[]> {
  const contents = columns.map(() => new Map<ValueKind, number>());
  for await (const { rows } of database.stream(sql, [], ALL_ROWS)) {
    for (const row of rows) {
      row.forEach((value, index) => {
        const kind = kindOf(value);
        const seen = contents[index];
        if (kind !== null) seen?.set(kind, (seen.get(kind) ?? 0) + 1);
      });
    }
  }
  return contents;
}

/** The values that a column of text or bytes holds in another form; null if there are none. */
function convertedKinds(contents: Contents, type: CarriedType): string | null {
  if (type !== "text" && type !== "blob") return null;
  const kept: ValueKind = type === "text" ? "text" : "BLOB";
  const counts = [...contents].filter(([kind]) => kind !== kept).map(([kind, count]) => `${kind} (${count})`);
  return counts.length === 0 ? null : `stored as ${type === "text" ? type : "bytes"}: ${counts.join(", ")}`;
}

const HOUR_MS = 3_600_000;
/** Reads every value as it is. A copy may take long; its caller can stop it. */
export const ALL_ROWS = { timeLimitMs: HOUR_MS * 24, batchSize: 1_000, malformedText: "bytes" } as const;

/**
 * A type that holds all of these values. Values of several kinds become text, and so do digits that would be lost. Beside
 * bytes, and if the target can't store a text, all values become bytes.
 */
function typeFor(
  kinds: ReadonlySet<ValueKind>,
  { numbers, textHasNul }: Dialect["definitions"],
): CarriedType {
  const only = (...some: readonly ValueKind[]): boolean => [...kinds].every((kind) => some.includes(kind));
  if (only("integer")) return "integer";
  if (only("real")) return "float";
  if (only("integer", "real", "decimal")) return "number";
  if (numbers === "decimals" && only("integer", "real", "decimal", "long decimal")) return "number";
  const isText =
    !kinds.has("BLOB") &&
    !kinds.has("text that is not valid UTF-8") &&
    (textHasNul || !kinds.has("text with U+0000"));
  return isText ? "text" : "blob";
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
