import type { Definitions } from "rowhouse/plugin-api/engine";
import { quoteText, unquote } from "rowhouse/plugin-api/sql";
import type { CarriedType } from "./carried-value.js";

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i;
const TEXT = /^'(?:[^']|'')*'$/;
/** `x'00ff'` in SQLite, `'\x00ff'::bytea` in PostgreSQL. */
const BYTES = [/^x'((?:[\da-f]{2})*)'$/i, /^'\\x((?:[\da-f]{2})*)'::bytea$/];

/** The definitions of both engines. */
interface Engines {
  readonly from: Definitions;
  readonly to: Definitions;
}

/** A default in the SQL of the target: a literal, or the moment of an insert; null if it is something else. */
export function portableDefault(sql: string, type: CarriedType, { from, to }: Engines): string | null {
  const bytes = bytesOf(sql);
  if (bytes !== null) return type === "blob" ? to.defaults.bytes(bytes) : null;
  const own = literalOf(sql);
  const isText = type === "text";
  if (/^null$/i.test(own)) return "NULL";
  if (/^(?:true|false)$/i.test(own)) return isText ? null : /^true$/i.test(own) ? "1" : "0";
  if (NUMBER.test(own)) return isText ? numberAsText(own) : numberFor(own, type);
  if (TEXT.test(own)) {
    const text = own.slice(1, -1);
    if (isText) return own;
    if (type === "blob") return to.defaults.bytes(Buffer.from(text.replaceAll("''", "'")));
    // PostgreSQL shows negative numbers as `'-5'::integer`.
    return NUMBER.test(text) ? numberFor(text, type) : null;
  }
  const { expressions, synonyms = {} } = from.defaults;
  const names = Object.keys(expressions) as (keyof typeof expressions)[];
  const name = names.find((one) => plain(expressions[one]) === plain(own)) ?? synonyms[plain(own)];
  return name === undefined ? null : to.defaults.expressions[name];
}

function bytesOf(sql: string): Uint8Array | null {
  const hex = BYTES.map((bytes) => bytes.exec(sql)?.[1]).find((found) => found !== undefined);
  return hex === undefined ? null : Buffer.from(hex, "hex");
}

/** A literal as all engines write it. SQLite takes names as texts, and numbers with a plus sign. */
function literalOf(sql: string): string {
  if (/^"(?:[^"]|"")*"$/.test(sql)) return quoteText(unquote(sql));
  return withoutCast(sql).replace(/^\+(?=\d)/, "");
}

/** SQLite stores other numbers in columns of text by their value: `1.5` for `1.50`. */
const numberAsText = (sql: string): string | null => (/^(?:0|-?[1-9]\d*)$/.test(sql) ? `'${sql}'` : null);

/** Columns of integers would round other numbers. */
function numberFor(text: string, type: CarriedType): string | null {
  const isInteger = /^-?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
  return type === "blob" || (type === "integer" && !isInteger) ? null : text;
}

/** PostgreSQL adds the type: `'a'::text`, `(LOCALTIMESTAMP(0))::text`. */
const withoutCast = (sql: string): string =>
  sql.replace(/^\((.*)\)::[a-z ]+$/is, "$1").replace(/::[a-z ]+(?:\(\d+(?:,\d+)?\))?$/i, "");

const plain = (sql: string): string => sql.toLowerCase().replace(/\(0\)$/, "");
