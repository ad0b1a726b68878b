import type { SqlValue } from "rowhouse/plugin-api";
import { Exact, Real, realText, TextBytes } from "rowhouse/plugin-api/engine";
import { withoutLastZeros } from "rowhouse/plugin-api/json";

/** What a value is. A long decimal has more digits than a double keeps. A truth value is an integer in engines without a type for it. */
export type ValueKind =
  | "integer"
  | "real"
  | "negative zero"
  | "NaN"
  | "decimal"
  | "long decimal"
  | "text"
  | "text with U+0000"
  | "text that is not valid UTF-8"
  | "BLOB";

/** The type of a column in the target, in the words of all engines; `declared` is the type that the source declares. */
export type CarriedType = "integer" | "float" | "number" | "text" | "blob" | "declared";

const NAN = "NaN";

const isNaNValue = (value: SqlValue): boolean => value instanceof Real && Number.isNaN(value.value);

/** The kind of a value; null for NULL. */
export function kindOf(value: SqlValue): ValueKind | null {
  if (value === null) return null;
  if (typeof value === "string") return value.includes("\0") ? "text with U+0000" : "text";
  if (value instanceof TextBytes) return "text that is not valid UTF-8";
  if (value instanceof Uint8Array) return "BLOB";
  if (isNaNValue(value)) return NAN;
  if (value instanceof Exact) return exactKind(value);
  if (value instanceof Real) return Object.is(value.value, -0) ? "negative zero" : "real";
  return "integer";
}

function exactKind(value: Exact): ValueKind {
  if (/^(?:true|false)$/.test(value.text)) return "integer";
  return typeof carried(value, "number") === "string" ? "long decimal" : "decimal";
}

/** A value in the form that a column of the target holds. */
export function carried(value: SqlValue, type: CarriedType): SqlValue {
  if (value === null || type === "declared") return value;
  if (type === "text") return textOf(value);
  if (type === "blob") return bytesOf(value);
  if (value instanceof Exact) return exactNumber(value);
  // SQLite would store NULL. In PostgreSQL, the text is the number.
  if (isNaNValue(value)) return NAN;
  return value;
}

const bytesOf = (value: Exclude<SqlValue, null>): Uint8Array =>
  value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(textOf(value), "utf8");

function textOf(value: Exclude<SqlValue, null>): string {
  if (typeof value === "string") return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  return value instanceof Real && !(value instanceof Exact) ? realText(value.value) : String(value);
}

/** A truth value as 1 or 0, a decimal number as number if that keeps all of its digits, else as text. */
function exactNumber(value: Exact): SqlValue {
  const { text } = value;
  if (text === "true" || text === "false") return value.value;
  if (/^-?\d+$/.test(text)) {
    const integer = BigInt(text);
    if (BigInt.asIntN(64, integer) === integer) return integer;
  }
  const digits = withoutLastZeros(text).replace(/^-?[0.]*|\./g, "");
  return digits.length <= 15 && isInRange(value) ? new Real(value.value) : text;
}

/** Doubles below have fewer digits. */
const LEAST_EXACT = 2.3e-308;

/** True for numbers of which a double keeps 15 digits. */
function isInRange({ text }: Exact): boolean {
  const nearest = Math.abs(Number(text));
  return !/[1-9]/.test(text) || (nearest >= LEAST_EXACT && nearest < Infinity);
}

/** The same text for equal values of both engines, for checksums. */
export function comparable(value: SqlValue, type: CarriedType): string {
  if (value === null) return "null";
  if (type === "declared") return `${kindOf(value)} ${value instanceof Uint8Array ? hexOf(value) : value}`;
  if (type === "text") return `t${textOf(value)}`;
  if (type === "blob") return `b${hexOf(bytesOf(value))}`;
  if (value instanceof Uint8Array) return `b${hexOf(value)}`;
  if (typeof value === "string") return `t${value}`;
  if (isNaNValue(value)) return `t${NAN}`;
  // A decimal number of the target can have other digits than the double that it was.
  if (type === "number") return `n${Number(value)}`;
  if (value instanceof Exact && /^-?\d/.test(value.text)) return `n${decimalText(value.text)}`;
  if (value instanceof Real)
    return Number.isFinite(value.value) ? `n${decimalText(realText(value.value))}` : `n${value.value}`;
  return `n${value}`;
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** `12.50` and `12.5` are the same number, and so are `12.0` and `12`. */
function decimalText(text: string): string {
  if (text.includes("e")) return String(Number(text));
  if (!text.includes(".")) return text === "-0" ? "0" : text;
  const short = withoutLastZeros(text).replace(/\.$/, "");
  return short === "-0" || short === "" ? "0" : short;
}
