import { isUtf8 } from "node:buffer";
import { BadRequest, type SqlInput } from "rowhouse/plugin-api";
import { Real } from "rowhouse/plugin-api/engine";
import { escapedBytes } from "rowhouse/plugin-api/http";
import { parseExactJson } from "rowhouse/plugin-api/json";

export const DIGITS = /^[0-9]+$/;
const GREATEST_INTEGER = 2n ** 63n - 1n;

/** Unsigned digits become an integer, anything else stays text and relies on the column's affinity. */
export function numberOrText(value: string): SqlInput {
  if (!DIGITS.test(value)) return value;
  const exact = BigInt(value);
  if (exact > GREATEST_INTEGER) return value;
  return exact <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(exact) : exact;
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Without an affinity to rely on, every number has to be one already. */
export function number(text: string): SqlInput {
  if (!NUMBER.test(text)) return text;
  if (!/^-?\d+$/.test(text)) return new Real(Number(text));
  const exact = BigInt(text);
  return BigInt.asIntN(64, exact) === exact ? exact : new Real(Number(text));
}

export const isNumberText = (value: SqlInput): boolean => typeof value === "string" && NUMBER.test(value);

export const bytesOr = (value: string): SqlInput => escapedBytes(value) ?? value;

/**
 * What bytes are compared with: bytes that are not UTF-8 with BLOBs and with text of these bytes, which a query string
 * can't tell apart. Other bytes only with BLOBs, since a text can be sent as such.
 */
export const bytesPlaces = (bytes: Uint8Array, parameter: string): string =>
  isUtf8(bytes) ? `cast(${parameter} as blob)` : `${parameter}, cast(${parameter} as text)`;

/** What `in` compares an untyped column with: the text, and the number that it spells. */
export const textAndNumber = (value: SqlInput, parameter: string): string =>
  isNumberText(value) ? `${parameter}, cast(${parameter} as numeric)` : parameter;

export function placeOf(item: SqlInput, parameter: string, untyped: boolean): string {
  if (item instanceof Uint8Array) return bytesPlaces(item, parameter);
  return untyped ? textAndNumber(item, parameter) : parameter;
}

/** `[1, "a"]` keeps its types, `[{"$base64": true, "encoded": "yv4="}]` is a BLOB; anything else is text between commas. */
export function listed(value: string, argument: string): readonly SqlInput[] {
  if (!value.startsWith("[")) return value.split(",").map((item) => bytesOr(item.trim()));
  const list = readList(value);
  if (list === null) throw new BadRequest(`Invalid JSON in ${argument}`);
  return list;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** The bytes of `{"$base64": true, "encoded": "yv4="}`, which is how documents show BLOBs that are not UTF-8. */
function base64Bytes(item: unknown): Uint8Array | null {
  if (typeof item !== "object" || item === null || Object.keys(item).length !== 2) return null;
  if (!("$base64" in item) || item.$base64 !== true || !("encoded" in item)) return null;
  return typeof item.encoded === "string" && BASE64.test(item.encoded)
    ? Buffer.from(item.encoded, "base64")
    : null;
}

function readList(text: string): readonly SqlInput[] | null {
  try {
    const list = parseExactJson(text);
    if (!Array.isArray(list)) return null;
    const items = list.map((item: unknown) => base64Bytes(item) ?? item);
    return items.every(isBindable) ? items : null;
  } catch {
    return null;
  }
}

const isBindable = (value: unknown): value is SqlInput =>
  value === null ||
  value instanceof Uint8Array ||
  ["string", "number", "bigint", "boolean"].includes(typeof value) ||
  (typeof value === "object" && "toJSON" in value && !Array.isArray(value));
