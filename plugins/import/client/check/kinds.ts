import { spellsDouble } from "rowhouse/plugin-api/csv";
import type { Affinity } from "../page-facts.js";
import { JsonValue, type Cell } from "../read/source.js";

/** The types of new columns, as the JSON API names them. */
export type ColumnType = "text" | "integer" | "float" | "blob";

/** What a value is, as far as it matters for the type of its column. */
export type ValueKind =
  | "integer"
  /** More than 2^53, at most 64 bits: exact in an INTEGER column only. */
  | "wide"
  | "real"
  /** A number that a column of numbers would change: `007`, `+5`, or with more digits than it can hold. */
  | "changed"
  | "boolean"
  | "structure"
  | "blob"
  | "text";

/** Without `-0`: only a REAL has a negative zero. */
const INTEGER = /^(?:0|-?[1-9]\d{0,18})$/;
const NUMBER = /^[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?$/;
const SAFE_DIGITS = 15;
const [LEAST, MOST] = [-(2n ** 63n), 2n ** 63n - 1n];

/** The kind of a value that is neither null nor missing. */
export function kindOf(cell: string | JsonValue): ValueKind {
  return cell instanceof JsonValue ? kindOfJson(cell.json) : kindOfText(cell);
}

function kindOfJson(json: string): ValueKind {
  if (json === "true" || json === "false") return "boolean";
  if (json.startsWith("{")) return /^\{\s*"\$base64"\s*:\s*true\b/.test(json) ? "blob" : "structure";
  return json.startsWith("[") ? "structure" : kindOfText(json);
}

function kindOfText(text: string): ValueKind {
  // Most values are short texts or integers.
  const first = text.charCodeAt(0);
  const isNumeric = (first >= 48 && first <= 57) || first === 45 || first === 43;
  if (!isNumeric) return "text";
  if (INTEGER.test(text)) return text.length <= SAFE_DIGITS ? "integer" : kindOfLongInteger(text);
  if (spellsDouble(text)) return "real";
  return NUMBER.test(text) ? "changed" : "text";
}

function kindOfLongInteger(text: string): ValueKind {
  if (Number.isSafeInteger(Number(text))) return "integer";
  const value = BigInt(text);
  return value >= LEAST && value <= MOST ? "wide" : "changed";
}

const FITTING: readonly (readonly [ColumnType, ReadonlySet<ValueKind>])[] = [
  ["integer", new Set<ValueKind>(["integer", "wide", "boolean"])],
  ["float", new Set<ValueKind>(["real", "integer", "boolean"])],
];

const NUMBERS = new Set<ValueKind>(["real", "integer", "wide", "boolean"]);

/**
 * The first type that holds all kinds without a change; text if there is none.
 *
 * @param mixesNumbers true if an integer column stores other numbers unchanged
 */
export function typeFor(kinds: Iterable<ValueKind>, mixesNumbers: boolean): ColumnType {
  const seen = [...kinds];
  if (seen.length === 0) return "text";
  // JSON has bytes that are UTF-8 as text. Columns of bytes take texts, but not the other way round.
  if (seen.includes("blob")) return "blob";
  const fitting = FITTING.find(([, held]) => seen.every((kind) => held.has(kind)))?.[0];
  return fitting ?? (mixesNumbers && seen.every((kind) => NUMBERS.has(kind)) ? "integer" : "text");
}

/** Affinities of columns with numbers. */
export const HOLDS_NUMBERS: ReadonlySet<Affinity> = new Set<Affinity>(["integer", "real", "numeric"]);

/** What a column of numbers would do to a value. */
export type Mistake = "no_number" | "inexact" | "rounded";

/** What is wrong with a kind in a column of this affinity; null if the value is stored as it is. */
export function mistakeOf(kind: ValueKind, affinity: Affinity): Mistake | null {
  if (!HOLDS_NUMBERS.has(affinity)) return null;
  if (kind === "text" || kind === "structure" || kind === "blob") return "no_number";
  if (kind === "changed") return "inexact";
  return kind === "wide" && affinity === "real" ? "rounded" : null;
}

/** True for a value that a row has. */
export const isGiven = (cell: Cell): cell is string | JsonValue => cell !== null && cell !== undefined;
