import { quoteIdentifier, WriteRejected } from "rowhouse/plugin-api";
import { Real, type Dialect, type NewColumnType } from "rowhouse/plugin-api/engine";
import type { JsonValue, JsonObject } from "rowhouse/plugin-api/json";
import { requireFewColumns, storableText, storedJson, isBlob } from "../json/cell-values.js";

const columnTypes: readonly NewColumnType[] = ["text", "integer", "float", "blob"];

/** @throws WriteRejected for an unknown column type */
export function parseColumnType(type: JsonValue): NewColumnType {
  const known = columnTypes.find((one) => one === type);
  if (known !== undefined) return known;
  throw new WriteRejected([`Unsupported column type: ${typeof type === "string" ? type : storedJson(type)}`]);
}

/** A column to create. */
export interface NewColumn extends ColumnOptions {
  readonly name: string;
  readonly type: InferredType;
}

/** `number` is for integers of 64 bits beside other numbers, which a column of doubles would round. */
export type InferredType = NewColumnType | "number";

/** A type as CREATE TABLE declares it. INTEGER columns of SQLite store other numbers unchanged. */
export function declaredType({ definitions }: Dialect, type: InferredType): string {
  if (type !== "number") return definitions.declaredTypes[type];
  return definitions.numbers === "decimals" ? definitions.numberType : definitions.declaredTypes.integer;
}

/** Options of a new column. */
export interface ColumnOptions {
  /** NOT NULL and DEFAULT clauses, as SQL. */
  readonly constraints?: readonly string[];
  /** SQL of the only values that a CHECK allows. */
  readonly choices?: readonly string[];
  /** The target of its foreign key. */
  readonly references?: ColumnReference;
}

export interface ColumnReference {
  readonly table: string;
  /** Null for the primary key. */
  readonly otherColumn: string | null;
}

/** Column types as CREATE TABLE declares them. */
export const declaredTypes: Readonly<Record<NewColumnType, string>> = {
  text: "TEXT",
  integer: "INTEGER",
  float: "FLOAT",
  blob: "BLOB",
};

/** Quotes a name with brackets, or with double quotes if it contains a bracket. */
export const declaredName = (name: string): string =>
  storableText(name).includes("]") ? quoteIdentifier(name) : `[${name}]`;

/** Kinds of values that decide the type of a column. A REAL cannot hold every `wide` (64-bit) integer exactly. */
export type ValueKind = "text" | "integer" | "wide" | "real" | "boolean" | "blob" | "structure";

/** Infers columns that fit all rows, in the order in which they first appear. */
export function inferColumns(rows: readonly JsonObject[]): readonly NewColumn[] {
  const seen = new ColumnInference();
  for (const row of rows) seen.add(row);
  return seen.columns();
}

/** Infers columns from a stream of rows. */
export class ColumnInference {
  readonly #kinds = new Map<string, Set<ValueKind>>();

  /** @param isMeant false for columns that the table already has @throws WriteRejected for too many columns */
  add(row: JsonObject, isMeant: (column: string) => boolean = () => true): void {
    for (const [column, value] of row) {
      if (!isMeant(column)) continue;
      const seen = this.#kinds.get(column) ?? new Set<ValueKind>();
      this.#kinds.set(column, seen);
      requireFewColumns(this.#kinds.size);
      if (value !== null) seen.add(kindOf(value));
    }
  }

  /** The columns that fit all rows so far, in the order in which they first appeared. */
  columns(): readonly NewColumn[] {
    return [...this.#kinds].map(([name, seen]) => ({ name, type: typeFor(seen) }));
  }
}

function kindOf(value: Exclude<JsonValue, null>): ValueKind {
  if (typeof value === "string") return "text";
  if (typeof value === "boolean") return "boolean";
  if (value instanceof Real) return "real";
  if (typeof value === "number") return "integer";
  if (typeof value === "bigint") return "wide";
  return isBlob(value) ? "blob" : "structure";
}

const TYPES_BY_KINDS: readonly (readonly [InferredType, ReadonlySet<ValueKind>])[] = [
  ["integer", new Set<ValueKind>(["integer", "wide", "boolean"])],
  ["float", new Set<ValueKind>(["real", "integer", "boolean"])],
  ["number", new Set<ValueKind>(["real", "integer", "wide", "boolean"])],
  ["text", new Set<ValueKind>(["text"])],
  ["blob", new Set<ValueKind>(["blob", "text"])],
];

/** The first type that holds all kinds; text if there is none. */
export function typeFor(kinds: ReadonlySet<ValueKind>): InferredType {
  if (kinds.size === 0) return "text";
  const fitting = TYPES_BY_KINDS.find(([, held]) => [...kinds].every((kind) => held.has(kind)));
  return fitting?.[0] ?? "text";
}
