import type { Column } from "rowhouse/plugin-api";
import type { CompareOperator, FilterCondition } from "rowhouse/plugin-api/engine";
import { integerOf, isInRange } from "./types.js";

/** A decimal number: the digits before the point, with their sign, and those after it. */
interface Decimal {
  readonly whole: string;
  readonly fraction: string;
}

/** Exponents beyond it are those of numbers that no column of integers holds, or of numbers near zero. */
const MAX_EXPONENT = 400;

/** The decimal number of a text such as `-1.5e3`; null for other texts. */
export function decimalOf(text: string): Decimal | null {
  // Spaces at both ends of the pattern would take quadratic time.
  const found = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(text.trim());
  if (found === null || !/\d/.test(text)) return null;
  const [, sign = "", before = "", after = "", exponent = "0"] = found;
  const shift = Math.max(-MAX_EXPONENT, Math.min(MAX_EXPONENT, Number(exponent)));
  const point = before.length + shift;
  const digits = `${before}${after}`;
  const whole = digits.slice(0, Math.max(0, point)).padEnd(point, "0");
  const fraction = digits.slice(Math.max(0, point)).padStart(digits.length - point, "0");
  return { whole: `${sign === "-" ? "-" : ""}${whole === "" ? "0" : whole}`, fraction };
}

/** The text of an integer such as `5.0` or `5e0`; null for other texts. */
export function wholeNumber(text: string): string | null {
  const decimal = decimalOf(text);
  return decimal === null || /[1-9]/.test(decimal.fraction) ? null : decimal.whole;
}

/** A comparison of integers with a decimal number: one with an integer, which can use an index, or a known result. */
export function compareDecimal(
  name: string,
  found: Column,
  operator: CompareOperator,
  { whole, fraction }: Decimal,
): FilterCondition {
  const hasFraction = /[1-9]/.test(fraction);
  const value = integerOf(whole) - (hasFraction && whole.startsWith("-") ? 1n : 0n);
  const isEquality = operator === "=" || operator === "!=";
  if ((hasFraction && isEquality) || !isInRange(found, value)) {
    const isTrue = isEquality ? operator === "!=" : operator.startsWith(value < 0n ? ">" : "<");
    return { where: isTrue ? `${name} is not null` : "false", values: [] };
  }
  // The integers above 1.5 are those above 1, the others are at most 1.
  const compared = hasFraction ? (operator.startsWith(">") ? ">" : "<=") : operator;
  return { where: `${name} ${compared} :p0`, values: [String(value)] };
}
