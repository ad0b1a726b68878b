import { quoteIdentifier, type Column, type SqlInput } from "rowhouse/plugin-api";
import {
  columnOf,
  type ColumnOf,
  type CompareOperator,
  type Comparison,
  type FilterCondition,
} from "rowhouse/plugin-api/engine";
import { escapedBytes } from "rowhouse/plugin-api/http";
import { quoteText } from "rowhouse/plugin-api/sql";
import { onDay } from "./days.js";
import { compareDecimal, decimalOf, wholeNumber } from "./decimals.js";
import { globAsRegex } from "./glob.js";
import { publishedIdentifier } from "./identifiers.js";
import { wireValue } from "./statement.js";
import { columnFamily, hasOrder, integerOf, isForeignText, valueType, type TypeFamily } from "./types.js";

/** The column of the table, in another case if none has exactly this name; undefined for names that it does not have. */
export const declared = ({ table, name }: ColumnOf): Column | undefined =>
  table.rowidName === name
    ? ROWID
    : (columnOf(table, name) ??
      table.columns.find((column) => column.name.toLowerCase() === name.toLowerCase()));

/** The key of tables that declare none. */
const ROWID: Column = {
  name: "rowid",
  type: "bigint",
  affinity: "integer",
  notNull: true,
  defaultSql: null,
  primaryKeyPosition: 0,
  isAssigned: true,
  hidden: false,
  generated: "no",
};

/** URLs have `9e999` for infinity, which is too large for PostgreSQL. */
export function addressedValue(column: ColumnOf, text: string): string {
  const found = declared(column);
  const isNumber = found !== undefined && ["float", "numeric"].includes(columnFamily(found));
  return isNumber && /^-?9e999$/.test(text) ? text.replace("9e999", "Infinity") : text;
}

/** A floating-point number outside of the range of the column becomes infinite or zero, as in SQLite. */
function valueInRange(column: ColumnOf, text: string): string {
  const found = declared(column);
  const isFloat = found !== undefined && columnFamily(found) === "float" && !isForeignText(found, text);
  if (!isFloat || !/\d/.test(text)) return addressedValue(column, text);
  const number = valueType(found) === "real" ? Math.fround(Number(text)) : Number(text);
  return number === 0 || !Number.isFinite(number) ? String(number) : text;
}

/** The condition of a filter in the SQL of PostgreSQL. */
export function filterCondition(column: ColumnOf, comparison: Comparison): FilterCondition {
  const found = declared(column);
  const name = operand(column, found);
  switch (comparison.kind) {
    case "compare":
      return compare(name, found, comparison.operator, valueInRange(column, comparison.value));
    case "in":
      return within(name, found, {
        ...comparison,
        values: comparison.values.map((value) =>
          typeof value === "string" ? valueInRange(column, value) : value,
        ),
      });
    case "like":
      // Without an escape character, as in SQLite.
      return {
        where: `${asText(name, found)} ${comparison.negated ? "not ilike" : "ilike"} :p0 escape ''`,
        values: [isBytes(found) ? characterPerByte(comparison.pattern) : comparison.pattern],
      };
    case "glob": {
      const pattern = isBytes(found) ? characterPerByte(comparison.pattern) : comparison.pattern;
      return { where: `${asText(name, found)} ~ :p0`, values: [globAsRegex(pattern)] };
    }
    case "contains-element":
      return {
        where: `${comparison.negated ? "not " : ""}coalesce(${containsElement(name, found)}, false)`,
        ...(!comparison.negated && hasTexts(found) && { executedWhere: containsText(name, found) }),
        values: [wellFormed(comparison.value)],
      };
    case "on-day":
      return onDay(name, found, comparison.day);
    case "null":
      return { where: nullTest(name, found, comparison.negated), values: [] };
    case "blank":
      return blank(name, found, comparison.negated);
  }
}

/** Bytes that are not UTF-8 as text, which no element contains. */
const wellFormed = (value: SqlInput): SqlInput =>
  value instanceof Uint8Array ? Buffer.from(value).toString() : value;

/** A name that is not a column is a text, as SQLite takes names in double quotes. */
const operand = ({ name }: ColumnOf, found: Column | undefined): string =>
  found === undefined ? `cast(${quoteText(name)} as text)` : publishedIdentifier(found.name);

const isText = (found: Column | undefined): boolean => found === undefined || columnFamily(found) === "text";

const isBytes = (found: Column | undefined): boolean =>
  found !== undefined && columnFamily(found) === "bytes";

/** A text that patterns can be applied to. */
function asText(name: string, found: Column | undefined): string {
  if (isBytes(found)) return charactersOf(name);
  if (!isText(found)) return `cast(${name} as text)`;
  return found?.looseCollation === true ? `${name} collate "default"` : name;
}

/**
 * Bytes as a text with one character for each byte, because they may not be UTF-8. The byte 0, which no text contains,
 * becomes 1.
 */
const charactersOf = (name: string): string =>
  `convert_from(decode(replace(replace(encode(${name}, 'escape'), '\\\\', '\\134'), '\\000', '\\001'), 'escape'), ` +
  `'LATIN1') collate "C"`;

/** A pattern for {@link charactersOf}. */
const characterPerByte = (pattern: string): string =>
  Buffer.from(pattern).toString("latin1").replaceAll("\0", "\u0001");

const bytesOf = (text: string): Uint8Array => escapedBytes(text) ?? Buffer.from(text);

function compare(
  name: string,
  found: Column | undefined,
  operator: CompareOperator,
  value: string,
): FilterCondition {
  if (isBytes(found)) return { where: `${name} ${operator} :p0`, values: [bytesOf(value)] };
  const text = comparedText(found, operator, value.toWellFormed());
  if (found !== undefined && isForeignText(found, text)) return compareForeign(name, found, operator, text);
  return { where: `${comparedOperand(name, found)} ${operator} :p0`, values: [text] };
}

/** Digits after `<` or `>` are a number, and for a column of texts the text of this number. */
const comparedText = (found: Column | undefined, operator: CompareOperator, text: string): string =>
  isText(found) && /[<>]/.test(operator) && /^\d+$/.test(text) && integerOf(text) < 2n ** 63n
    ? String(integerOf(text))
    : text;

/** A column whose type may have no operators of its own, as `xml` and `point`, or none for equal values, as `box`, is compared as text. */
export function comparedOperand(name: string, found: Column | undefined): string {
  if (found === undefined) return name;
  if (!hasOrder(found)) return `cast(${name} as text)`;
  return withoutDomain(name, found);
}

/** The operators of enumerated types, arrays and ranges do not compare a domain with a parameter. */
export const withoutDomain = (name: string, found: Column | undefined): string =>
  found?.baseType !== undefined && GENERIC.has(columnFamily(found))
    ? `cast(${name} as ${found.baseType})`
    : name;

const GENERIC: ReadonlySet<TypeFamily> = new Set(["enum", "array", "other"]);

/**
 * A comparison with a text that is not a value of the column. In SQLite every number is less than every text. A number
 * outside of the range of the type is compared as such.
 */
function compareForeign(
  name: string,
  found: Column,
  operator: CompareOperator,
  text: string,
): FilterCondition {
  const decimal = columnFamily(found) === "integer" ? decimalOf(text) : null;
  if (decimal !== null) return compareDecimal(name, found, operator, decimal);
  const isTrue = operator === "!=" || operator === "<" || operator === "<=";
  return { where: isTrue ? `${name} is not null` : "false", values: [] };
}

function within(
  name: string,
  found: Column | undefined,
  { values, negated }: { readonly values: readonly SqlInput[]; readonly negated: boolean },
): FilterCondition {
  const own =
    found === undefined
      ? values
      : values.map((value) => inColumn(found, value)).filter((value) => isComparable(found, value));
  const operator = negated ? "not in" : "in";
  if (own.length === 0) return { where: negated ? `${name} is not null` : "false", values: [] };
  const list = own.length > MOST_PARAMETERS && hasArrays(found) ? arrayText(own) : null;
  const compared = comparedOperand(name, found);
  if (list !== null) return { where: `${compared} ${negated ? "<> all" : "= any"} (:p0)`, values: [list] };
  const places = own.map((_value, index) => `:p${index}`).join(", ");
  return { where: `${compared} ${operator} (${places})`, values: own };
}

/** A longer list is one parameter: SQL with thousands of parameters takes long to write and to read. */
const MOST_PARAMETERS = 1_000;

/** A list of arrays is no array of arrays: PostgreSQL has one type for arrays of every depth. */
const hasArrays = (found: Column | undefined): boolean =>
  found === undefined || columnFamily(found) !== "array";

/**
 * The text of an array. The server gives its elements the type of what they are compared with. Null if an element is
 * bytes, which have no text.
 */
function arrayText(values: readonly SqlInput[]): string | null {
  const elements: string[] = [];
  for (const value of values) {
    const element = wireValue(value);
    if (element instanceof Uint8Array) return null;
    elements.push(element === null ? "NULL" : `"${element.replace(/["\\]/g, "\\$&")}"`);
  }
  return `{${elements.join(",")}}`;
}

/** For a column of integers, `5.0` is 5. A text is its bytes for a column of bytes, also one such as `\x41`. */
function inColumn(found: Column, value: SqlInput): SqlInput {
  if (isBytes(found) && typeof value === "string") return bytesOf(value);
  if (columnFamily(found) !== "integer" || value === null || value instanceof Uint8Array) return value;
  return wholeNumber(String(value)) ?? value;
}

const isComparable = (found: Column, value: SqlInput): boolean =>
  value === null ||
  (value instanceof Uint8Array ? columnFamily(found) === "bytes" : !isForeignText(found, String(value)));

function containsElement(name: string, found: Column | undefined): string {
  const family = found === undefined ? "text" : columnFamily(found);
  if (family === "array") return `cast(:p0 as text) = any(cast(${name} as text[]))`;
  if (family !== "json" && family !== "text") return "cast(:p0 as text) is null";
  const json = family === "json" ? `cast(${name} as jsonb)` : jsonOf(name);
  return `exists (select 1 from jsonb_array_elements_text(${arrayOrEmpty(json)}) as each(element) where element = :p0)`;
}

const hasTexts = (found: Column | undefined): found is Column =>
  found !== undefined && ["text[]", "character varying[]"].includes(valueType(found));

/** With this operator, the server uses an index on the array. */
const containsText = (name: string, found: Column): string =>
  `${withoutDomain(name, found)} @> array[cast(:p0 as ${valueType(found).slice(0, -2)})]`;

/** Text that begins like a JSON array, as JSON. */
export const jsonOf = (expression: string): string =>
  `(case when ltrim(cast(${expression} as text) collate "C") like '[%' then cast(cast(${expression} as text) as jsonb) end)`;

/** An array; an empty one for other JSON. */
export const arrayOrEmpty = (json: string): string =>
  `case when jsonb_typeof(${json}) = 'array' then ${json} else '[]' end`;

/** `is null` is true for a value of a composite type whose parts are all NULL, and `is not null` false if one is. */
function nullTest(name: string, found: Column | undefined, negated: boolean): string {
  if (found === undefined || hasOrder(found) || columnFamily(found) !== "other")
    return `${name} is ${negated ? "not " : ""}null`;
  return `${name} is ${negated ? "" : "not "}distinct from null`;
}

function blank(name: string, found: Column | undefined, negated: boolean): FilterCondition {
  const test = nullTest(name, found, negated);
  if (!isText(found)) return { where: test, values: [] };
  return { where: negated ? `(${test} and ${name} != '')` : `(${test} or ${name} = '')`, values: [] };
}

/** The condition that a column has the key of a row path. */
export function keyCondition(column: ColumnOf, key: string, parameter: string): string {
  const found = declared(column);
  const whole = found !== undefined && columnFamily(found) === "integer" ? wholeNumber(key) : null;
  if (found !== undefined && whole !== null && whole !== key && !isForeignText(found, whole))
    return `${quoteIdentifier(column.name)} = cast(cast(:${parameter} as numeric) as ${found.type})`;
  if (found !== undefined && isForeignText(found, key))
    return `(false and cast(:${parameter} as text) is null)`;
  const name = withoutDomain(quoteIdentifier(column.name), found);
  const isInfinite = found !== undefined && addressedValue(column, key) !== key;
  if (!isInfinite) return `${name} = ${keyParameter(column, `:${parameter}`)}`;
  return `${name} = cast(replace(:${parameter}, '9e999', 'Infinity') as ${found.type})`;
}

/** A column without its domain: see {@link withoutDomain}. */
export const comparedColumn = (column: ColumnOf): string =>
  withoutDomain(publishedIdentifier(column.name), declared(column));

/** A part of a key. Only with a cast, the server reads a text as a value of a composite type or as the name of a relation. */
export function keyParameter(column: ColumnOf, placeholder: string): string {
  const found = declared(column);
  return found === undefined || hasOrder(found) ? placeholder : `cast(${placeholder} as ${found.type})`;
}
