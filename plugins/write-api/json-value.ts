import { Real, realText } from "rowhouse/plugin-api";
import type { JsonObject, JsonValue } from "rowhouse/plugin-api";

export type { JsonObject, JsonValue } from "rowhouse/plugin-api";

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
