import type { Definitions } from "rowhouse/plugin-api/engine";
import type { CarriedType } from "./column-kinds.js";

const NUMBER = /^-?\d+(?:\.\d+)?$/;
const TEXT = /^'(?:[^']|'')*'$/;

/** The definitions of both engines. */
interface Engines {
  readonly from: Definitions;
  readonly to: Definitions;
}

/** A default in the SQL of the target: a literal, or the moment of an insert; null if it is something else. */
export function portableDefault(sql: string, type: CarriedType, { from, to }: Engines): string | null {
  const own = withoutCast(sql);
  const isText = type === "text";
  if (/^null$/i.test(own)) return "NULL";
  if (/^(?:true|false)$/i.test(own)) return isText ? null : /^true$/i.test(own) ? "1" : "0";
  if (NUMBER.test(own)) return isText ? `'${own}'` : numberFor(own, type);
  if (TEXT.test(own)) {
    const text = own.slice(1, -1);
    if (isText) return own;
    // PostgreSQL shows negative numbers as `'-5'::integer`.
    return NUMBER.test(text) ? numberFor(text, type) : null;
  }
  const { expressions, synonyms = {} } = from.defaults;
  const names = Object.keys(expressions) as (keyof typeof expressions)[];
  const name = names.find((one) => plain(expressions[one]) === plain(own)) ?? synonyms[plain(own)];
  return name === undefined ? null : to.defaults.expressions[name];
}

/** Columns of integers would round other numbers. */
function numberFor(text: string, type: CarriedType): string | null {
  const isInteger = /^-?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
  return type === "blob" || (type === "integer" && !isInteger) ? null : text;
}

/** PostgreSQL adds the type: `'a'::text`, `(LOCALTIMESTAMP(0))::text`. */
const withoutCast = (sql: string): string =>
  sql.replace(/^\((.*)\)::[a-z ]+$/is, "$1").replace(/::[a-z ]+(?:\(\d+(?:,\d+)?\))?$/i, "");

const plain = (sql: string): string => sql.toLowerCase().replace(/\(0\)$/, "");
