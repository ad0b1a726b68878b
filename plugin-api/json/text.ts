import { isUtf8 } from "node:buffer";
import { Exact, Real, realText } from "../engine/values.js";
import { decimalOf } from "./numbers.js";

/** The text of infinite numbers: `null` is valid JSON, `words` writes `Infinity` and `-Infinity`. */
export type InfinityForm = "null" | "words";

/**
 * Finished JSON text, which {@link jsonText} inserts unchanged.
 *
 * @example
 * jsonText({ rows: new RawJson("[1, 2]") }); // '{"rows": [1, 2]}'
 */
export class RawJson {
  constructor(readonly text: string) {}
}

/**
 * Serializes a value in the JSON format of Rowhouse: one line with `", "` and `": "` as separators, ASCII only (other
 * characters as lower-case `\uXXXX`). Integers (`number` or `bigint`) are exact, a `Real` always has a point or an
 * exponent. Bytes are text if they are valid UTF-8, else `{"$base64": true, "encoded": "..."}`. Properties with the value
 * `undefined` are left out.
 *
 * @example
 * jsonText({ id: 9007199254740993n, price: new Real(12), name: "é" }); // '{"id": 9007199254740993, "price": 12.0, "name": "\\u00e9"}'
 * @throws TypeError for functions and symbols
 */
export function jsonText(value: unknown, infinity: InfinityForm = "null"): string {
  if (value === null || value === undefined) return "null";
  switch (typeof value) {
    case "string":
      return jsonString(value);
    case "boolean":
    case "bigint":
      return String(value);
    case "number":
      return Number.isFinite(value) ? String(value) : infinityText(value, infinity);
    case "object":
      return jsonObject(value, infinity);
    default:
      throw new TypeError(`A ${typeof value} has no JSON form`);
  }
}

function jsonObject(value: object, infinity: InfinityForm): string {
  if (value instanceof RawJson) return value.text;
  if (value instanceof Exact) return value.text;
  if (value instanceof Real) return realJson(value.value, infinity);
  if (value instanceof Uint8Array) return blobJson(value);
  if (Array.isArray(value)) return `[${value.map((item) => jsonText(item, infinity)).join(", ")}]`;
  if (value instanceof Map) return jsonEntries(value.entries(), infinity);
  if (hasToJson(value)) return jsonText(value.toJSON(), infinity);
  return jsonEntries(Object.entries(value), infinity);
}

function jsonEntries(entries: Iterable<[unknown, unknown]>, infinity: InfinityForm): string {
  const members: string[] = [];
  for (const [key, value] of entries) {
    if (value !== undefined) members.push(`${jsonString(String(key))}: ${jsonText(value, infinity)}`);
  }
  return `{${members.join(", ")}}`;
}

const hasToJson = (value: object): value is { toJSON(): unknown } =>
  "toJSON" in value && typeof value.toJSON === "function";

/**
 * A REAL as JSON: `12.0`, `1e+16`.
 *
 * @example
 * realJson(12); // "12.0"
 * realJson(Infinity); // "null"
 */
export const realJson = (value: number, infinity: InfinityForm = "null"): string =>
  Number.isFinite(value) ? realText(value) : infinityText(value, infinity);

const infinityText = (value: number, infinity: InfinityForm): string => {
  if (infinity === "null" || Number.isNaN(value)) return "null";
  return value > 0 ? "Infinity" : "-Infinity";
};

// Only what JSON.stringify leaves as it is and the wire form does not.
const NOT_ASCII = /[\u007f-\uffff]/;

/** Text without characters that need escaping, as most names and values are. */
const PLAIN = /^[ !#-[\]-~]*$/;

/**
 * A string as ASCII-only JSON.
 *
 * @example
 * jsonString("é"); // '"\\u00e9"'
 */
export const jsonString = (text: string): string =>
  PLAIN.test(text) ? `"${text}"` : asciiJson(JSON.stringify(text));

/**
 * Escapes every character above U+007E in JSON text that is otherwise finished.
 *
 * @example
 * asciiJson('{"é": 1}'); // '{"\\u00e9": 1}'
 */
export function asciiJson(json: string): string {
  const first = json.search(NOT_ASCII);
  if (first === -1) return json;
  return withFewEscapes(json, first) ?? withManyEscapes(json, first);
}

/** Names and sentences in Latin script have a few accents, between which whole pieces are copied. */
const FEW_ESCAPES = 8;

/** The text with its characters outside of ASCII escaped; null if there are many. @param first the place of the first */
function withFewEscapes(json: string, first: number): string | null {
  let escaped = "";
  let start = 0;
  let count = 0;
  for (let at = first; at < json.length; at += 1) {
    const unit = json.charCodeAt(at);
    if (unit < DELETE) continue;
    count += 1;
    if (count > FEW_ESCAPES) return null;
    escaped += `${json.slice(start, at)}\\u${unit.toString(16).padStart(4, "0")}`;
    start = at + 1;
  }
  return escaped + json.slice(start);
}

function withManyEscapes(json: string, first: number): string {
  const pieces = [json.slice(0, first)];
  // A function that replaces each character would take fifteen times as long for a text in Cyrillic.
  for (let start = first; start < json.length; start += UNITS_AT_ONCE) {
    const end = Math.min(json.length, start + UNITS_AT_ONCE);
    let length = 0;
    for (let at = start; at < end; at += 1) length = writeAsciiJson(escapes, length, json.charCodeAt(at));
    pieces.push(escapes.toString("latin1", 0, length));
  }
  return pieces.join("");
}

const UNITS_AT_ONCE = 16_384;
const escapes = Buffer.allocUnsafe(6 * UNITS_AT_ONCE);
const HEX_DIGITS = Buffer.from("0123456789abcdef");

/**
 * Writes one UTF-16 unit of JSON text into `bytes`: as it is, or as `\u00e9` above U+007E, which takes six bytes.
 *
 * @example
 * writeAsciiJson(Buffer.alloc(6), 0, 0xe9); // 6
 * @returns the place after it
 */
export function writeAsciiJson(bytes: Uint8Array, at: number, unit: number): number {
  if (unit < DELETE) {
    bytes[at] = unit;
    return at + 1;
  }
  bytes[at] = BACKSLASH;
  bytes[at + 1] = LETTER_U;
  bytes[at + 2] = HEX_DIGITS[unit >> 12] ?? 0;
  bytes[at + 3] = HEX_DIGITS[(unit >> 8) & 0xf] ?? 0;
  bytes[at + 4] = HEX_DIGITS[(unit >> 4) & 0xf] ?? 0;
  bytes[at + 5] = HEX_DIGITS[unit & 0xf] ?? 0;
  return at + 6;
}

const DELETE = 0x7f;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * A BLOB as JSON: a string if the bytes are valid UTF-8, else a base64 object.
 *
 * @example
 * blobJson(Buffer.from([0xff])); // '{"$base64": true, "encoded": "/w=="}'
 */
export const blobJson = (bytes: Uint8Array): string =>
  isUtf8(bytes) ? jsonString(utf8.decode(bytes)) : base64Json(bytes);

/**
 * Bytes as JSON that are no text: an object with their base64.
 *
 * @example
 * base64Json(Buffer.from([0xff])); // '{"$base64": true, "encoded": "/w=="}'
 */
export const base64Json = (bytes: Uint8Array): string =>
  `{"$base64": true, "encoded": "${Buffer.from(bytes).toString("base64")}"}`;

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Parses JSON with exact numbers: an integer becomes a `number` if that is exact, else a `bigint`; a number with a point
 * or an exponent becomes a {@link Real}, or an {@link Exact} if it has more digits than the text of a double: `12.50`.
 *
 * @example
 * parseExactJson("[1, 9007199254740993, 1.0]"); // [1, 9007199254740993n, new Real(1)]
 * @throws SyntaxError, also for an integer of more than 200,000 digits
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(withMarkedNumbers(text), (_key, value: unknown) =>
    typeof value === "string" && value.startsWith("\0") ? unmarked(value.slice(1)) : value,
  );
}

/**
 * The JSON with the text of each number that `JSON.parse` could change as a string after U+0000. Strings that begin with
 * this character get another one. A regular expression for strings runs out of stack if one has millions of escapes.
 */
function withMarkedNumbers(text: string): string {
  let marked = "";
  for (let start = 0; ;) {
    const quote = text.indexOf('"', start);
    marked += text.slice(start, quote === -1 ? undefined : quote).replace(NUMBER, markedNumber);
    if (quote === -1) return marked;
    start = endOfString(text, quote);
    marked += text.startsWith("\\u0000", quote + 1) ? '"\\u0000' : '"';
    marked += text.slice(quote + 1, start);
  }
}

const markedNumber = (token: string): string => (isPlainInteger(token) ? token : `"\\u0000${token}"`);

/** The position after the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text[first - 1] === "\\") first -= 1;
    if ((end - first) % 2 === 0) return end + 1;
  }
  return text.length;
}

/** `numeric` of PostgreSQL has fewer. To create integers of a million digits blocks the event loop for seconds. */
const MOST_DIGITS = 200_000;

const isPlainInteger = (token: string): boolean =>
  token.length < 16 && /^-?\d+$/.test(token) && token !== "-0";

function unmarked(text: string): unknown {
  if (text.startsWith("\0")) return text;
  if (!/^-?\d+$/.test(text)) return decimalOf(text);
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  if (text.length > MOST_DIGITS) throw new SyntaxError("number out of range");
  return BigInt(text);
}
