import { BadRequest, type SqlInput } from "rowhouse/plugin-api";
import { Real } from "rowhouse/plugin-api/engine";
import { escapedBytes } from "rowhouse/plugin-api/http";
import { parseExactJson } from "rowhouse/plugin-api/json";

const bytesOr = (value: string): SqlInput => escapedBytes(value) ?? value;

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
  value instanceof Real;
