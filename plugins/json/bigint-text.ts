import { isPlainObject } from "rowhouse/plugin-api/engine";

/** The value with all integers in it that a double can't represent as strings, at any depth. */
export function withBigintText(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return value.map(withBigintText);
  if (value instanceof Map) return new Map(Array.from(value, ([key, one]) => [key, withBigintText(one)]));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withBigintText(one)]));
}
