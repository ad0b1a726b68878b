export type { JsonObject, JsonValue } from "rowhouse/plugin-api";
import { Real, WriteRejected, realText } from "rowhouse/plugin-api";
import type { SqlValue, JsonObject, JsonValue } from "rowhouse/plugin-api";

/** A row as it is to be stored: values by column, only those that were sent. */
export type RowValues = ReadonlyMap<string, SqlValue>;

/** A row's members as the values that columns hold. @throws WriteRejected for one that no column can hold */
export function rowValues(row: JsonObject): RowValues {
  // No list of pairs in between: of a million rows that is a lot to clear away.
  const values = new Map<string, SqlValue>();
  for (const [column, value] of row) values.set(column, cellValue(value));
  return values;
}

/**
 * What a column holds of a JSON value: objects and arrays their text, except `{"$base64": true, "encoded": ...}`,
 * which is bytes, and `{"$raw": x}`, which is `x` with no such exception.
 *
 * @throws WriteRejected
 */
export function cellValue(value: JsonValue): SqlValue {
  if (!isObject(value)) return literalValue(value);
  if (isBlob(value)) return decodedBase64(value.get("encoded"));
  const raw = value.size === 1 ? value.get("$raw") : undefined;
  return literalValue(raw === undefined ? value : raw);
}

/** Is this the form in which JSON carries bytes? */
export const isBlob = (value: JsonValue): boolean =>
  isObject(value) && value.size === 2 && value.get("$base64") === true && value.has("encoded");

function literalValue(value: JsonValue): SqlValue {
  if (value === null || typeof value === "number" || value instanceof Real) return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "bigint") return int64(value);
  return storableText(typeof value === "string" ? value : storedJson(value));
}

function int64(value: bigint): bigint {
  if (BigInt.asIntN(64, value) === value) return value;
  throw new WriteRejected(["Python int too large to convert to SQLite INTEGER"]);
}

function decodedBase64(encoded: JsonValue | undefined): Uint8Array {
  if (typeof encoded !== "string") throw new WriteRejected(["$base64 encoded value must be a string"]);
  const isValid = encoded.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(encoded);
  if (!isValid) throw new WriteRejected(["Invalid $base64 encoded value"]);
  return Buffer.from(encoded, "base64");
}

/** Text that UTF-8 can carry. @throws WriteRejected naming the half of a character that it can't */
export function storableText(text: string): string {
  if (text.isWellFormed()) return text;
  const characters = [...text];
  const first = characters.findIndex(isHalf);
  let last = first;
  while (isHalf(characters[last + 1])) last += 1;
  throw new WriteRejected([
    `'utf-8' codec can't encode ${halves(characters[first] ?? "", first, last)}: surrogates not allowed`,
  ]);
}

const isHalf = (character: string | undefined): boolean => character?.isWellFormed() === false;

const halves = (half: string, first: number, last: number): string =>
  first === last
    ? `character '\\u${half.charCodeAt(0).toString(16)}' in position ${first}`
    : `characters in position ${first}-${last}`;

export const isObject = (value: JsonValue | undefined): value is JsonObject => value instanceof Map;
export const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

/** Does a value count as said? False, zero, everything empty, null and an absent key do not. */
export function truthy(value: JsonValue | undefined): boolean {
  if (isObject(value)) return value.size > 0;
  if (isList(value)) return value.length > 0;
  if (value instanceof Real) return value.value !== 0;
  return Boolean(value);
}

/** An object or array as the text that a column stores: `{"a": [1, 2.0]}`, other than ASCII as it is. */
export function storedJson(value: JsonValue): string {
  if (typeof value === "string") return quoted(value);
  if (value instanceof Real) return realText(value.value);
  if (isObject(value)) {
    const members = [...value].map(([key, item]) => `${quoted(key)}: ${storedJson(item)}`);
    return `{${members.join(", ")}}`;
  }
  return isList(value) ? `[${value.map(storedJson).join(", ")}]` : String(value);
}

/** Half a character stays one: as an escape it would be stored where it has to be refused. */
const quoted = (text: string): string =>
  text.isWellFormed()
    ? JSON.stringify(text)
    : `"${[...text].map((one) => (one.isWellFormed() ? JSON.stringify(one).slice(1, -1) : one)).join("")}"`;
