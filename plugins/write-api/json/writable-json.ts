import { jsonText, type SqlValue } from "rowhouse/plugin-api";
import { Exact } from "rowhouse/plugin-api/engine";
import { RawJson } from "rowhouse/plugin-api/json";

/** A stored value in the JSON form that writes take. Bytes stay bytes, also those of a text. */
export function writableJson(value: SqlValue): RawJson {
  if (value instanceof Exact && isTooLarge(value.text)) return new RawJson(jsonText(value.text));
  if (!(value instanceof Uint8Array)) return new RawJson(jsonText(value));
  const encoded = Buffer.from(value).toString("base64");
  return new RawJson(jsonText({ $base64: true, encoded }));
}

/** True for a number that JSON must not contain. Columns take its text. */
const isTooLarge = (number: string): boolean =>
  /^-?\d{19,}$/.test(number) || (/\d/.test(number) && !Number.isFinite(Number(number)));
