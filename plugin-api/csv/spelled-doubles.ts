import { hasValueOf } from "./decimal-digits.js";

/** In characters. No program writes a double with more. */
const LONGEST = 400;
const DECIMAL = /^-?(?:0|[1-9]\d*)(?=[.e])(?:\.\d+)?(?:e[+-]?\d{1,3})?$/i;
const ZERO = /^-?0(?:\.0+)?(?:e|$)/i;

/**
 * True for the text of a number that a double holds with all its digits, except for zeros at the end. The text of an
 * integer is none, but `-0` is one, because integers have no negative zero.
 *
 * @example
 * spellsDouble("1.2345678901234568e+17"); // true
 * spellsDouble("12345.123456789012345"); // false: the nearest double is 12345.123456789013
 */
export function spellsDouble(text: string): boolean {
  if (text === "-0") return true;
  if (text.length > LONGEST || !DECIMAL.test(text)) return false;
  const value = Number(text);
  // Most numbers are written as JavaScript writes them.
  return String(value) === text || ZERO.test(text) || hasValueOf(text, value);
}
