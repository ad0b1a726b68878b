import { jsonText } from "rowhouse/plugin-api";
import { escapedBytes } from "rowhouse/plugin-api/http";
import type { FilterOperator } from "rowhouse/plugin-api/contracts";
import type { CompareOperator, Comparison } from "rowhouse/plugin-api/engine";
import { listed } from "./operator-values.js";

export interface Operator extends FilterOperator {
  /** Compares with a number or text, so a unit in the value can be converted. */
  readonly compares?: boolean;
  /** The condition names only this column and can't fail on any value. */
  readonly leakproof?: boolean;
  /**
   * What the column is compared with: the value as it was sent, with bytes that are not UTF-8.
   *
   * @throws BadRequest if the value can't be parsed
   */
  comparison(value: string, column: string): Comparison;
  /** For people: `price > 5`. */
  describe(column: string, value: string): string;
}

const DIGITS = /^[0-9]+$/;

interface Compare {
  readonly name: string;
  readonly label: string;
  readonly operator: CompareOperator;
  /** The description shows the value always without quotes, or only if it is a number. */
  readonly shown: "number" | "bare";
}

/** `column > value` */
const compare = ({ name, label, operator, shown }: Compare): Operator => ({
  name,
  label,
  takesValue: true,
  compares: true,
  leakproof: true,
  comparison: (value) => ({ kind: "compare", operator, value }),
  describe(column, value) {
    const text = value.toWellFormed();
    const isBare = shown === "bare" || DIGITS.test(value);
    return `${column} ${label} ${isBare ? text : `"${text}"`}`;
  },
});

/** A pattern, made of the value. */
const pattern = (name: string, label: string, comparison: (text: string) => Comparison): Operator => ({
  name,
  label,
  takesValue: true,
  leakproof: false,
  comparison: (value) => comparison(value.toWellFormed()),
  describe: (column, value) => `${column} ${label} "${value.toWellFormed()}"`,
});

const like = (name: string, label: string, made: (text: string) => string, negated = false): Operator =>
  pattern(name, label, (text) => ({ kind: "like", negated, pattern: made(text) }));

/** One of several values. */
const membership = (name: string, label: string, negated: boolean): Operator => ({
  name,
  label,
  takesValue: true,
  leakproof: true,
  comparison: (value, column) => ({ kind: "in", negated, values: listed(value, `${column}__${name}`) }),
  describe: (column, value) => `${column} ${label} ${jsonText(listed(value, `${column}__${name}`))}`,
});

const arrayMembership = (name: string, label: string, negated: boolean, word: string): Operator => ({
  name,
  label,
  takesValue: true,
  comparison: (value) => ({ kind: "contains-element", negated, value: escapedBytes(value) ?? value }),
  describe: (column, value) => `${column} ${word} "${value.toWellFormed()}"`,
});

const withoutValue = (name: string, label: string, comparison: Comparison): Operator => ({
  name,
  label,
  takesValue: false,
  leakproof: true,
  comparison: () => comparison,
  describe: (column) => `${column} ${label}`,
});

/** Every operator of `?column__operator=value`, in the order of the menu. */
export const operators: readonly Operator[] = [
  compare({ name: "exact", label: "=", operator: "=", shown: "number" }),
  compare({ name: "not", label: "!=", operator: "!=", shown: "number" }),
  like("contains", "contains", (text) => `%${text}%`),
  like("notcontains", "does not contain", (text) => `%${text}%`, true),
  like("endswith", "ends with", (text) => `%${text}`),
  like("startswith", "starts with", (text) => `${text}%`),
  compare({ name: "gt", label: ">", operator: ">", shown: "bare" }),
  compare({ name: "gte", label: "≥", operator: ">=", shown: "bare" }),
  compare({ name: "lt", label: "<", operator: "<", shown: "bare" }),
  compare({ name: "lte", label: "≤", operator: "<=", shown: "bare" }),
  like("like", "like", (text) => text),
  like("notlike", "not like", (text) => text, true),
  pattern("glob", "glob", (text) => ({ kind: "glob", pattern: text })),
  membership("in", "in", false),
  membership("notin", "not in", true),
  arrayMembership("arraycontains", "array contains", false, "contains"),
  arrayMembership("arraynotcontains", "array does not contain", true, "does not contain"),
  {
    name: "date",
    label: "date",
    takesValue: true,
    comparison: (value) => ({ kind: "on-day", day: value.toWellFormed() }),
    describe: (column, value) => `"${column}" is on date ${value.toWellFormed()}`,
  },
  withoutValue("isnull", "is null", { kind: "null", negated: false }),
  withoutValue("notnull", "is not null", { kind: "null", negated: true }),
  withoutValue("isblank", "is blank", { kind: "blank", negated: false }),
  withoutValue("notblank", "is not blank", { kind: "blank", negated: true }),
];

const operatorsByName = new Map(operators.map((operator) => [operator.name, operator]));

/** Undefined for unknown names: such a filter is ignored. */
export const findOperator = (name: string): Operator | undefined => operatorsByName.get(name);
