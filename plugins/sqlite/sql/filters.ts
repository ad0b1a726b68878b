import { isUtf8 } from "node:buffer";
import { jsonText, quoteIdentifier, type SqlInput } from "rowhouse/plugin-api";
import {
  addressText,
  columnOf,
  Real,
  type ColumnOf,
  type CompareOperator,
  type Comparison,
  type FilterCondition,
} from "rowhouse/plugin-api/engine";
import { escapedBytes } from "rowhouse/plugin-api/http";
import { exactLiteral, isNumeric } from "./exact-numbers.js";
import { bracketed, publishedIdentifier } from "./published-identifier.js";

/** The condition of a filter; what published statements show is compared letter for letter. */
export function filterCondition(column: ColumnOf, comparison: Comparison): FilterCondition {
  const quoted = quoteIdentifier(column.name);
  switch (comparison.kind) {
    case "compare":
      return compare(column, comparison.operator, comparison.value);
    case "in":
      return within(column, comparison);
    case "like":
      return {
        where: `${quoted} ${comparison.negated ? "not like" : "like"} :p0`,
        values: [comparison.pattern],
      };
    case "glob":
      return { where: `${quoted} glob :p0`, values: [comparison.pattern] };
    case "contains-element": {
      const { value, negated } = comparison;
      const element = value instanceof Uint8Array ? "cast(:p0 as text)" : ":p0";
      const list = `${bracketed(column.table.name)}.${bracketed(column.name)}`;
      const operator = `${element} ${negated ? "not in" : "in"}`;
      return {
        // An empty text has no elements, like NULL. SQLite would refuse it as malformed JSON.
        where: `${operator} (select value from json_each(nullif(${list}, '')))`,
        publishedWhere: `${operator} (select value from json_each(${list}))`,
        values: [value],
      };
    }
    case "on-day":
      return { where: `date(${quoted}) = :p0`, values: [comparison.day] };
    case "null":
      return { where: `${quoted} is ${comparison.negated ? "not " : ""}null`, values: [] };
    case "blank":
      return blank(quoted, comparison.negated);
  }
}

function blank(quoted: string, negated: boolean): FilterCondition {
  const where = (empty: string) =>
    negated
      ? `(${quoted} is not null and ${quoted} != ${empty})`
      : `(${quoted} is null or ${quoted} = ${empty})`;
  // SQLite takes "" for a text only if no column has the empty name.
  return { where: where("''"), publishedWhere: where('""'), values: [] };
}

function within(column: ColumnOf, { values, negated }: MembershipComparison): FilterCondition {
  // Without quotes if possible: SQLite takes an unknown name in double quotes for a text.
  const operator = `${publishedIdentifier(column.name)} ${negated ? "not in" : "in"}`;
  const untyped = isUntypedInView(column);
  const numeric = isNumeric(column);
  const isMisread = (item: SqlInput): boolean => numeric && exactLiteralOf(item) !== null;
  const fitsJson = (item: SqlInput): boolean => isSameInJson(item) && !isMisread(item);
  if (values.length > MOST_PARAMETERS && !untyped && values.every(fitsJson))
    // The plus sign removes the affinity of the column `value`, so that it compares like a parameter.
    return { where: `${operator} (select +value from json_each(:p0))`, values: [jsonText(values)] };
  const items = values.map((item, index) => placeOf(item, `:p${index}`, untyped));
  const where = `${operator} (${items.join(", ")})`;
  if (!numeric) return { where, values };
  const exact = values.map(
    (item, index) => (typeof item === "string" ? numberSql(item, `:p${index}`) : null) ?? items[index],
  );
  return { where, executedWhere: `${operator} (${exact.join(", ")})`, values };
}

type MembershipComparison = Extract<Comparison, { readonly kind: "in" }>;

/** A longer list is one parameter: SQL with thousands of parameters takes long to write and to read. */
const MOST_PARAMETERS = 1_000;

/**
 * True for values that `json_each` returns as they would be bound. It ends a text at its first NUL, its doubles may differ
 * in the last bit, and longer integers become doubles.
 */
function isSameInJson(value: SqlInput): boolean {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0");
  if (typeof value === "bigint") return BigInt.asIntN(64, value) === value;
  return value === null || Number.isSafeInteger(value);
}

function compare(column: ColumnOf, operator: CompareOperator, value: string): FilterCondition {
  const quoted = quoteIdentifier(column.name);
  const untyped = isUntypedInView(column);
  const setOperator = SET_OPERATORS[operator];
  const bytes = escapedBytes(value);
  if (bytes !== null && setOperator !== undefined)
    return { where: `${quoted} ${setOperator} (${bytesPlaces(bytes, ":p0")})`, values: [bytes] };
  if (untyped && setOperator !== undefined && isNumberText(value))
    return { where: `${quoted} ${setOperator} (${textAndNumber(value, ":p0")})`, values: [value] };
  const text = value.toWellFormed();
  const values = [boundValue(text, untyped, setOperator)];
  const where = `${quoted} ${operator} :p0`;
  const executed = !isNumeric(column)
    ? null
    : setOperator === undefined
      ? exactLiteral(text)
      : numberSql(text, ":p0");
  return executed === null
    ? { where, values }
    : { where, executedWhere: `${quoted} ${operator} ${executed}`, values };
}

/** SQL for the number of a text if it is faster or more exact than the parameter; null if it is not. */
function numberSql(text: string, parameter: string): string | null {
  // SQLite would convert the text to a number for each row. It evaluates the cast once.
  return isInteger(text) ? `cast(${parameter} as integer)` : exactLiteral(text);
}

const isInteger = (text: string): boolean =>
  /^(?:0|-?[1-9]\d{0,18})$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);

function boundValue(text: string, untyped: boolean, setOperator: string | undefined): SqlInput {
  if (setOperator !== undefined) return text;
  return untyped ? number(text) : numberOrText(text);
}

/** The operators that compare with several values. */
const SET_OPERATORS: Readonly<Partial<Record<CompareOperator, string>>> = { "=": "in", "!=": "not in" };

/**
 * A computed column of a view has no affinity unless its expression is a cast, so SQLite does not convert text to a
 * number when comparing, and values are compared by both types.
 */
const isUntypedInView = ({ table, name }: ColumnOf): boolean =>
  table.kind === "view" && columnOf(table, name)?.affinity === "blob";

const DIGITS = /^[0-9]+$/;
const GREATEST_INTEGER = 2n ** 63n - 1n;

/** Unsigned digits become an integer, anything else stays text and relies on the column's affinity. */
function numberOrText(value: string): SqlInput {
  if (!DIGITS.test(value)) return value;
  const exact = BigInt(value);
  if (exact > GREATEST_INTEGER) return value;
  return exact <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(exact) : exact;
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Without an affinity to rely on, every number has to be one already. */
function number(text: string): string | bigint | Real {
  if (!NUMBER.test(text)) return text;
  if (!/^-?\d+$/.test(text)) return new Real(Number(text));
  const exact = BigInt(text);
  return BigInt.asIntN(64, exact) === exact ? exact : new Real(Number(text));
}

/** True if the path of a number is this text. `01` and `1e0` are paths of texts only. */
function isAddressOfNumber(key: string): boolean {
  const value = key.length > LONGEST_ADDRESS_OF_NUMBER ? key : number(key);
  return typeof value !== "string" && addressText(value) === key;
}

/** `-1.2345678901234567e-308` */
const LONGEST_ADDRESS_OF_NUMBER = 24;

const isNumberText = (value: SqlInput): boolean => typeof value === "string" && NUMBER.test(value);

/**
 * What bytes are compared with: bytes that are not UTF-8 with BLOBs and with text of these bytes, which a query string
 * can't tell apart. Other bytes only with BLOBs, since a text can be sent as such.
 */
const bytesPlaces = (bytes: Uint8Array, parameter: string): string =>
  isUtf8(bytes) ? `cast(${parameter} as blob)` : `${parameter}, cast(${parameter} as text)`;

/** What `in` compares an untyped column with: the text, and the number that it spells. */
const textAndNumber = (value: SqlInput, parameter: string): string =>
  isNumberText(value)
    ? `${parameter}, ${exactLiteralOf(value) ?? `cast(${parameter} as numeric)`}`
    : parameter;

const exactLiteralOf = (value: SqlInput): string | null =>
  typeof value === "string" ? exactLiteral(value) : null;

function placeOf(item: SqlInput, parameter: string, untyped: boolean): string {
  if (item instanceof Uint8Array) return bytesPlaces(item, parameter);
  return untyped ? textAndNumber(item, parameter) : parameter;
}

/** The key of a row path is text, which the affinity of the column converts. Without an affinity it may be a number. */
export function keyCondition(column: ColumnOf, key: string, parameter: string): string {
  const quoted = quoteIdentifier(column.name);
  const place = `:${parameter}`;
  if (columnOf(column.table, column.name)?.affinity === "blob" && isAddressOfNumber(key))
    return `${quoted} in (${textAndNumber(key, place)})`;
  return `${quoted} = ${(isNumeric(column) && exactLiteral(key)) || place}`;
}
