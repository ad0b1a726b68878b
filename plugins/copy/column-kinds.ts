import type { Column, Database } from "rowhouse/plugin-api";
import { columnOf, type Dialect, type StreamOptions } from "rowhouse/plugin-api/engine";
import { kindOf, type CarriedType, type ValueKind } from "./carried-value.js";
import type { Sides } from "./copy-target.js";
import type { SourceTable } from "./source-table.js";

/** The types of a table's columns in the target, from the values that they hold. */
export const carriedTypes = (
  { table, columns }: SourceTable,
  contents: readonly Contents[],
  { to, losses }: Sides,
): readonly CarriedType[] =>
  columns.map((name, place) => {
    const kinds = contents[place]?.kinds ?? new Map<ValueKind, number>();
    const type =
      kinds.size === 0
        ? declaredType(columnOf(table, name))
        : typeFor(new Set(kinds.keys()), to.dialect.definitions);
    const converted = convertedKinds(kinds, type, to.dialect.definitions);
    if (converted !== null) losses.push(`${table.name}.${name}: ${converted}`);
    return type;
  });

/** What a column holds. */
interface Contents {
  /** How many values there are of each kind. */
  readonly kinds: Map<ValueKind, number>;
  hasNull: boolean;
}

/** Reads all rows of a table. */
export async function contentsOf(
  database: Database,
  { columns, sql }: SourceTable,
): Promise<readonly Contents[]> {
  const contents = columns.map((): Contents => ({ kinds: new Map(), hasNull: false }));
  for await (const { rows } of database.stream(sql, [], ALL_ROWS)) {
    for (const row of rows) {
      row.forEach((value, index) => {
        const seen = contents[index];
        const kind = kindOf(value);
        if (kind !== null) seen?.kinds.set(kind, (seen.kinds.get(kind) ?? 0) + 1);
        else if (seen !== undefined) seen.hasNull = true;
      });
    }
  }
  return contents;
}

/** The values that a column holds in another form; null if there are none. SQLite has no NaN. */
function convertedKinds(
  kinds: Contents["kinds"],
  type: CarriedType,
  { numbers }: Dialect["definitions"],
): string | null {
  const isKept = (kind: ValueKind): boolean => {
    if (type === "text") return kind === "text";
    if (type === "blob") return kind === "BLOB";
    return kind !== "NaN" || numbers === "decimals";
  };
  const counts = [...kinds].filter(([kind]) => !isKept(kind)).map(([kind, count]) => `${kind} (${count})`);
  return counts.length === 0 ? null : `stored as ${type === "blob" ? "bytes" : "text"}: ${counts.join(", ")}`;
}

const HOUR_MS = 3_600_000;
/** Reads every value as it is. A copy may take long; its caller can stop it. */
export const ALL_ROWS: StreamOptions = {
  timeLimitMs: HOUR_MS * 24,
  batchSize: 1_000,
  malformedText: "bytes",
};

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
  if (only("real", "negative zero", "NaN")) return "float";
  if (only("integer", "real", "decimal", "NaN")) return "number";
  if (numbers === "decimals" && only("integer", "real", "decimal", "long decimal", "NaN")) return "number";
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
