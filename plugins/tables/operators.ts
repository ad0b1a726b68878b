import { jsonText, quoteIdentifier, type SqlInput } from "rowhouse/plugin-api";
import { escapedBytes } from "rowhouse/plugin-api/http";
import { publishedIdentifier } from "rowhouse/plugin-api/sql";
import type { FilterOperator } from "rowhouse/plugin-api/contracts";
import {
  DIGITS,
  numberOrText,
  number,
  isNumberText,
  bytesOr,
  bytesPlaces,
  textAndNumber,
  placeOf,
  listed,
} from "./operator-values.js";

/** A condition whose values are `:p0`, `:p1`, ... in the order of `values`. */
export interface Condition {
  readonly where: string;
  readonly values: readonly SqlInput[];
}

/** What an operator is given: names as they are, the value as it was sent, with bytes that are not UTF-8. */
export interface Operand {
  readonly table: string;
  readonly column: string;
  readonly value: string;
  /** The column has no affinity, so SQLite does not convert text to a number when comparing. */
  readonly untyped?: boolean;
}

export interface Operator extends FilterOperator {
  /** Compares with a number or text, so a unit in the value can be converted. */
  readonly compares?: boolean;
  /** The condition names only this column and can't fail on any value. */
  readonly leakproof?: boolean;
  /** @throws BadRequest if the value can't be parsed */
  condition(operand: Operand): Condition;
  /** For people: `price > 5`. */
  describe(column: string, value: string): string;
}

interface Infix {
  readonly name: string;
  readonly label: string;
  readonly sql: string;
  readonly word: string;
  /** Converts the value for binding; default: no conversion. */
  readonly bound?: (value: string) => SqlInput;
  /** How the description shows the value: unquoted if numeric, always unquoted, or always quoted (default). */
  readonly shown?: "number" | "bare";
  readonly compares?: boolean;
  /** The operator that compares with several values. */
  readonly setOperator?: string;
}

/** `"column" <sql> :p0` */
const infix = ({ name, label, sql, word, bound, shown, compares = false, setOperator }: Infix): Operator => ({
  name,
  label,
  takesValue: true,
  compares,
  leakproof: sql !== "like" && sql !== "not like" && sql !== "glob" && sql !== "not glob",
  condition({ column, value, untyped = false }) {
    const quoted = quoteIdentifier(column);
    const bytes = escapedBytes(value);
    if (bytes !== null && setOperator !== undefined)
      return { where: `${quoted} ${setOperator} (${bytesPlaces(bytes, ":p0")})`, values: [bytes] };
    if (untyped && setOperator !== undefined && isNumberText(value))
      return { where: `${quoted} ${setOperator} (${textAndNumber(value, ":p0")})`, values: [value] };
    const bind = untyped && compares && setOperator === undefined ? number : bound;
    const text = value.toWellFormed();
    return { where: `${quoted} ${sql} :p0`, values: [bind === undefined ? text : bind(text)] };
  },
  describe(column, value) {
    const bare = shown === "bare" || (shown === "number" && DIGITS.test(value));
    const text = value.toWellFormed();
    return `${column} ${word} ${bare ? text : `"${text}"`}`;
  },
});

/** `column in (:p0, :p1)`; the name is unquoted if possible, so that an unknown column is an error. */
const membership = (name: string, label: string, sql: string): Operator => ({
  name,
  label,
  takesValue: true,
  leakproof: true,
  condition({ column, value, untyped = false }) {
    const values = listed(value, `${column}__${name}`);
    const items = values.map((item, index) => placeOf(item, `:p${index}`, untyped));
    return { where: `${publishedIdentifier(column)} ${sql} (${items.join(", ")})`, values };
  },
  describe: (column, value) => `${column} ${sql} ${jsonText(listed(value, `${column}__${name}`))}`,
});

const arrayMembership = (name: string, label: string, sql: string, word: string): Operator => ({
  name,
  label,
  takesValue: true,
  condition: ({ table, column, value }) => ({
    where: `${escapedBytes(value) === null ? ":p0" : "cast(:p0 as text)"} ${sql} (select value from json_each(${bracketed(table)}.${bracketed(column)}))`,
    values: [bytesOr(value)],
  }),
  describe: (column, value) => `${column} ${word} "${value.toWellFormed()}"`,
});

/** A name in brackets: the published statement has brackets here even if the name needs no quotes. */
const bracketed = (name: string): string => (/[\]\0]/.test(name) ? quoteIdentifier(name) : `[${name}]`);

const withoutValue = (
  name: string,
  label: string,
  where: (quoted: string) => string,
  word = label,
): Operator => ({
  name,
  label,
  takesValue: false,
  leakproof: true,
  condition: ({ column }) => ({ where: where(quoteIdentifier(column)), values: [] }),
  describe: (column) => `${column} ${word}`,
});

/** Every operator of `?column__operator=value`, in the order of the menu. */
export const operators: readonly Operator[] = [
  infix({
    name: "exact",
    label: "=",
    sql: "=",
    word: "=",
    shown: "number",
    compares: true,
    setOperator: "in",
  }),
  infix({
    name: "not",
    label: "!=",
    sql: "!=",
    word: "!=",
    shown: "number",
    compares: true,
    setOperator: "not in",
  }),
  infix({
    name: "contains",
    label: "contains",
    sql: "like",
    word: "contains",
    bound: (value) => `%${value}%`,
  }),
  infix({
    name: "notcontains",
    label: "does not contain",
    sql: "not like",
    word: "does not contain",
    bound: (value) => `%${value}%`,
  }),
  infix({
    name: "endswith",
    label: "ends with",
    sql: "like",
    word: "ends with",
    bound: (value) => `%${value}`,
  }),
  infix({
    name: "startswith",
    label: "starts with",
    sql: "like",
    word: "starts with",
    bound: (value) => `${value}%`,
  }),
  infix({ name: "gt", label: ">", sql: ">", word: ">", bound: numberOrText, shown: "bare", compares: true }),
  infix({
    name: "gte",
    label: "≥",
    sql: ">=",
    word: "≥",
    bound: numberOrText,
    shown: "bare",
    compares: true,
  }),
  infix({ name: "lt", label: "<", sql: "<", word: "<", bound: numberOrText, shown: "bare", compares: true }),
  infix({
    name: "lte",
    label: "≤",
    sql: "<=",
    word: "≤",
    bound: numberOrText,
    shown: "bare",
    compares: true,
  }),
  infix({ name: "like", label: "like", sql: "like", word: "like" }),
  infix({ name: "notlike", label: "not like", sql: "not like", word: "not like" }),
  infix({ name: "glob", label: "glob", sql: "glob", word: "glob" }),
  membership("in", "in", "in"),
  membership("notin", "not in", "not in"),
  arrayMembership("arraycontains", "array contains", "in", "contains"),
  arrayMembership("arraynotcontains", "array does not contain", "not in", "does not contain"),
  {
    name: "date",
    label: "date",
    takesValue: true,
    condition: ({ column, value }) => ({
      where: `date(${quoteIdentifier(column)}) = :p0`,
      values: [value.toWellFormed()],
    }),
    describe: (column, value) => `"${column}" is on date ${value.toWellFormed()}`,
  },
  withoutValue("isnull", "is null", (quoted) => `${quoted} is null`),
  withoutValue("notnull", "is not null", (quoted) => `${quoted} is not null`),
  withoutValue("isblank", "is blank", (quoted) => `(${quoted} is null or ${quoted} = "")`),
  withoutValue("notblank", "is not blank", (quoted) => `(${quoted} is not null and ${quoted} != "")`),
];

const operatorsByName = new Map(operators.map((operator) => [operator.name, operator]));

/** Undefined for unknown names: such a filter is ignored. */
export const findOperator = (name: string): Operator | undefined => operatorsByName.get(name);
