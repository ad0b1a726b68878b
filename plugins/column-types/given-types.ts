import { nearNames, isObject } from "rowhouse/plugin-api";
import type { ColumnType, GivenColumnType, Metadata } from "rowhouse/plugin-api";

/** `email`, or `{"type": "email", "config": ...}`; null for other values. */
export function givenType(value: unknown): GivenColumnType | null {
  if (typeof value === "string") return { type: value, config: null };
  if (typeof value !== "object" || value === null) return null;
  const { type, config = null } = value as { readonly type?: unknown; readonly config?: unknown };
  return typeof type === "string" ? { type, config } : null;
}

/** The error in a type; null for a valid type. */
export function mistakeIn(
  known: ReadonlyMap<string, ColumnType>,
  { type, config }: GivenColumnType,
): string | null {
  const found = known.get(type);
  if (found !== undefined) {
    const complaint = config === null ? null : (configMistake(found, config) ?? null);
    return complaint === null ? null : `the config of column type ${type} ${complaint}`;
  }
  const [near] = nearNames(type, known.keys(), 1);
  const advice = near === undefined ? `known are ${[...known.keys()].join(", ")}` : `did you mean ${near}?`;
  return `unknown column type ${type}, ${advice}`;
}

const configMistake = ({ checkConfig }: ColumnType, config: unknown): string | null =>
  checkConfig === undefined ? "is not wanted: it takes none" : (checkConfig(config) ?? null);

/** The types that the metadata gives to the columns of a table. */
export function metadataTypes(
  metadata: Metadata,
  database: string,
  table: string,
): readonly (readonly [column: string, given: GivenColumnType])[] {
  const block = metadata.table(database, table)["column_types"];
  if (typeof block !== "object" || block === null) return [];
  return Object.entries(block).flatMap(([column, value]) => {
    const given = givenType(value);
    return given === null ? [] : [[column, given] as const];
  });
}

/** All tables that the metadata describes. */
export function describedTables(metadata: Metadata): readonly (readonly [database: string, table: string])[] {
  return entriesOf(metadata.document["databases"]).flatMap(([database, block]) =>
    entriesOf((block as { readonly tables?: unknown } | null)?.tables).map(
      ([table]) => [database, table] as const,
    ),
  );
}

const entriesOf = (value: unknown): readonly [string, unknown][] =>
  isObject(value) ? Object.entries(value) : [];
