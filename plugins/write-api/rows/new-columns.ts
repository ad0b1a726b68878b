import { quoteIdentifier, WriteRejected, Real } from "rowhouse/plugin-api";
import { storableText, storedJson, isBlob } from "../json/cell-values.js";
import type { JsonValue, JsonObject } from "../json/cell-values.js";

export type ColumnType = "text" | "integer" | "float" | "blob";

const columnTypes: readonly ColumnType[] = ["text", "integer", "float", "blob"];

/** @throws WriteRejected for what is no column type */
export function columnType(type: JsonValue): ColumnType {
  const known = columnTypes.find((one) => one === type);
  if (known !== undefined) return known;
  throw new WriteRejected([`Unsupported column type: ${typeof type === "string" ? type : storedJson(type)}`]);
}

/** A column of a table to be made, or to be added to one. */
export interface NewColumn extends ColumnOptions {
  readonly name: string;
  readonly type: ColumnType;
}

/** What a new column is besides its name and type. */
export interface ColumnOptions {
  /** NOT NULL and DEFAULT, as SQL. */
  readonly constraints?: readonly string[];
  /** Where it points. */
  readonly references?: ColumnReference;
}

export interface ColumnReference {
  readonly table: string;
  /** Null for the primary key. */
  readonly otherColumn: string | null;
}

/** How a type stands in CREATE TABLE. */
export const declaredTypes: Readonly<Record<ColumnType, string>> = {
  text: "TEXT",
  integer: "INTEGER",
  float: "FLOAT",
  blob: "BLOB",
};

/** New tables show their names in brackets, except where those could not hold them. */
export const declaredName = (name: string): string =>
  storableText(name).includes("]") ? quoteIdentifier(name) : `[${name}]`;

/** What a value is, as far as the type of a column depends on it; no REAL holds every `wide` integer. */
export type Kind = "text" | "integer" | "wide" | "real" | "boolean" | "blob" | "structure";

/** Columns that fit all of these rows, in the order in which they first appear. */
export function inferColumns(rows: readonly JsonObject[]): readonly NewColumn[] {
  const seen = new SeenColumns();
  for (const row of rows) seen.add(row);
  return seen.columns();
}

/** What was seen of rows that pass by. */
export class SeenColumns {
  readonly #kinds = new Map<string, Set<Kind>>();

  /** @param isMeant false for columns that are known already */
  add(row: JsonObject, isMeant: (column: string) => boolean = () => true): void {
    for (const [column, value] of row) {
      if (!isMeant(column)) continue;
      const seen = this.#kinds.get(column) ?? new Set<Kind>();
      this.#kinds.set(column, seen);
      if (value !== null) seen.add(kindOf(value));
    }
  }

  /** Columns that fit all rows, in the order in which they first appeared. */
  columns(): readonly NewColumn[] {
    return [...this.#kinds].map(([name, seen]) => ({ name, type: typeFor(seen) }));
  }
}

function kindOf(value: Exclude<JsonValue, null>): Kind {
  if (typeof value === "string") return "text";
  if (typeof value === "boolean") return "boolean";
  if (value instanceof Real) return "real";
  if (typeof value === "number") return "integer";
  if (typeof value === "bigint") return "wide";
  return isBlob(value) ? "blob" : "structure";
}

const FITTING: readonly (readonly [ColumnType, ReadonlySet<Kind>])[] = [
  ["integer", new Set<Kind>(["integer", "wide", "boolean"])],
  ["float", new Set<Kind>(["real", "integer", "boolean"])],
  // INTEGER keeps what is no integer as it is; FLOAT would round what is one.
  ["integer", new Set<Kind>(["real", "integer", "wide", "boolean"])],
  ["text", new Set<Kind>(["text"])],
  ["blob", new Set<Kind>(["blob", "text"])],
];

/** The first type that holds all kinds; a mixture is text. */
export function typeFor(kinds: ReadonlySet<Kind>): ColumnType {
  if (kinds.size === 0) return "text";
  const fitting = FITTING.find(([, held]) => [...kinds].every((kind) => held.has(kind)));
  return fitting?.[0] ?? "text";
}
