import type { Column } from "rowhouse/plugin-api";

/** What kind of values a type has, which decides how text is compared with it. */
export type TypeFamily =
  | "integer"
  | "numeric"
  | "float"
  | "boolean"
  | "text"
  | "bytes"
  | "date"
  | "timestamp"
  | "uuid"
  | "json"
  | "array"
  | "enum"
  | "other";

const FAMILIES: Readonly<Record<string, TypeFamily>> = {
  smallint: "integer",
  integer: "integer",
  bigint: "integer",
  oid: "integer",
  numeric: "numeric",
  real: "float",
  "double precision": "float",
  boolean: "boolean",
  text: "text",
  "character varying": "text",
  character: "text",
  bpchar: "text",
  name: "text",
  citext: "text",
  '"char"': "text",
  bytea: "bytes",
  date: "date",
  "timestamp without time zone": "timestamp",
  "timestamp with time zone": "timestamp",
  uuid: "uuid",
  json: "json",
  jsonb: "json",
};

/** Types whose bare name means a length of one. */
const OF_ANY_LENGTH: ReadonlyMap<string, string> = new Map([
  ["bit", "bit varying"],
  ["character", "bpchar"],
]);

/** A type that takes values of any length: `bit(8)` is `bit varying`, `timestamp(0) with time zone` has no precision. */
export const withoutLength = (type: string): string => OF_ANY_LENGTH.get(bare(type)) ?? bare(type);

/** The name of a type without modifiers: `numeric(10,2)` is `numeric`. */
const bare = (type: string): string => type.replace(/\(\d+(?:,-?\d+)?\)/, "");

/** The family of a type by its name, as `format_type` writes it. */
function familyOf(type: string): TypeFamily {
  if (type.endsWith("[]")) return "array";
  const name = bare(type);
  return Object.hasOwn(FAMILIES, name) ? (FAMILIES[name] ?? "other") : "other";
}

/** The type of a column's values, also behind a domain. */
export const valueType = ({ type, baseType = type }: Column): string => baseType;

/** The family of {@link valueType}. */
export const columnFamily = (column: Column): TypeFamily =>
  column.enumValues === undefined ? familyOf(valueType(column)) : "enum";

/** Types of no other family whose values have an order that their text does not have. */
const ORDERED: ReadonlySet<string> = new Set(
  (
    "interval money time timetz inet cidr macaddr macaddr8 bit varbit pg_lsn xid8 int4range int8range numrange tsrange " +
    "tstzrange daterange int4multirange int8multirange nummultirange tsmultirange tstzmultirange datemultirange"
  ).split(" "),
);

/** The short names of types that `format_type` writes in several words. */
const SHORT: Readonly<Record<string, string>> = {
  "time without time zone": "time",
  "time with time zone": "timetz",
  "bit varying": "varbit",
};

/** True if the values of a column can be ordered and compared by `<`, as the type defines it. */
export function hasOrder(column: Column): boolean {
  if (column.enumValues !== undefined) return true;
  const type = valueType(column).replace(/(?:\[\])+$/, "");
  const family = familyOf(type);
  if (family !== "other") return family !== "json";
  const name = bare(type);
  return ORDERED.has(SHORT[name] ?? name);
}

/** Types of no other family with the aggregates `min` and `max`. */
const WITH_EXTREMES: ReadonlySet<string> = new Set("interval money time timetz inet cidr pg_lsn".split(" "));

/** Families without `min` and `max`, or without an order. */
const WITHOUT_EXTREMES: ReadonlySet<TypeFamily> = new Set(["boolean", "bytes", "uuid", "json"]);

/** True if the type of a column has the aggregates `min` and `max`. */
export function hasExtremes(column: Column): boolean {
  const family = columnFamily(column);
  if (family === "array") return hasOrder(column);
  const name = bare(valueType(column));
  return family === "other" ? WITH_EXTREMES.has(SHORT[name] ?? name) : !WITHOUT_EXTREMES.has(family);
}

const GEOMETRIC: ReadonlySet<string> = new Set("point line lseg box path polygon circle".split(" "));

/** True if the empty text is a value of the type. Amounts of money read it as zero. */
export function hasEmptyText(type: string): boolean {
  const family = familyOf(type);
  if (family !== "other") return family === "text" || family === "bytes";
  const name = SHORT[bare(type)] ?? bare(type);
  return /^(?:var)?bit$/.test(name) || !(ORDERED.has(name) || GEOMETRIC.has(name));
}

const AFFINITIES: Readonly<Partial<Record<TypeFamily, Column["affinity"]>>> = {
  integer: "integer",
  numeric: "numeric",
  float: "real",
  bytes: "blob",
};

/** The affinity that a column of SQLite with such values has. */
export const affinityOf = (type: string): Column["affinity"] => AFFINITIES[familyOf(type)] ?? "text";

const INTEGER = /^\s*[+-]?\d+\s*$/;
const NUMBER = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i;
const SPECIAL = /^\s*(?:nan|[+-]?inf(?:inity)?)\s*$/i;
const BOOLEAN = /^\s*(?:t|true|f|false|y|yes|n|no|on|off|1|0)\s*$/i;
const UUID = /^\{?[0-9a-f]{4}(?:-?[0-9a-f]{4}){7}\}?$/i;

/** Ranges of the integer types. */
const RANGES: Readonly<Record<string, bigint>> = {
  smallint: 2n ** 15n,
  integer: 2n ** 31n,
  bigint: 2n ** 63n,
  oid: 2n ** 32n,
};

/**
 * True if a text is certainly not the text of a value of the column, so that a comparison would fail. False if it is, or
 * if only PostgreSQL can tell.
 */
export function isForeignText(column: Column, text: string): boolean {
  switch (columnFamily(column)) {
    case "integer":
      return !INTEGER.test(text) || !isInRange(column, integerOf(text));
    case "numeric":
    case "float":
      return !NUMBER.test(text) && !SPECIAL.test(text);
    case "boolean":
      return !BOOLEAN.test(text);
    case "uuid":
      return !UUID.test(text);
    case "enum":
      return !(column.enumValues ?? []).includes(text);
    default:
      return text.includes("\0");
  }
}

/** More digits than any type of integers has: to read a million digits blocks the event loop for half a second. */
const MOST_DIGITS = 40;

/** The integer of a text of digits. One that is too long for every column is cut, and is still too long. */
export function integerOf(text: string): bigint {
  const [, sign = "", digits = ""] = /^([+-]?)0*(\d*)$/.exec(text.trim()) ?? [];
  const value = BigInt(digits.slice(0, MOST_DIGITS));
  return sign === "-" ? -value : value;
}

/** True for an integer that the column can hold. */
export function isInRange(column: Column, value: bigint): boolean {
  const type = valueType(column);
  const limit = RANGES[type] ?? 2n ** 63n;
  return value < limit && value >= (type === "oid" ? 0n : -limit);
}
