import { hasValueOf } from "../csv/decimal-digits.js";
import { Exact, Real, realText } from "../engine/values.js";

/** Longer integers are rejected: no column can store them, and creating them takes long. */
const MAX_INTEGER_DIGITS = 4300;
/** A double holds every number with so many digits. */
const SAFE_DIGITS = 15;

const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LETTER_E = 0x65;
/** Set in the codes of small letters, and not in those of capitals. */
const LOWER_CASE = 0x20;

/** The end of the digits from `at` on. */
function digitsEnd(text: string, at: number): number {
  let end = at;
  for (let code = text.charCodeAt(end); code >= ZERO && code <= NINE;) {
    end += 1;
    code = text.charCodeAt(end);
  }
  return end;
}

/** The end of a JSON number before its point and exponent; `start` if there is no number. */
export function integerEnd(text: string, start: number): number {
  const digits = text.charCodeAt(start) === MINUS ? start + 1 : start;
  // Nothing can follow a leading zero.
  const end = text.charCodeAt(digits) === ZERO ? digits + 1 : digitsEnd(text, digits);
  return end === digits ? start : end;
}

/** The end of a JSON number whose integer part ends at `whole`; `whole` if it is an integer. */
export function numberEnd(text: string, whole: number): number {
  const fraction = text.charCodeAt(whole) === POINT ? digitsEnd(text, whole + 1) : whole;
  const mark = fraction > whole + 1 ? fraction : whole;
  if ((text.charCodeAt(mark) | LOWER_CASE) !== LETTER_E) return mark;
  const sign = text.charCodeAt(mark + 1);
  const digits = sign === PLUS || sign === MINUS ? mark + 2 : mark + 1;
  const end = digitsEnd(text, digits);
  return end === digits ? mark : end;
}

/** The value of a JSON number without point and exponent. @throws SyntaxError if it has too many digits */
export function integerOf(token: string): number | bigint {
  const value = Number(token);
  // Adding zero turns -0 into 0: integers have no negative zero.
  if (Number.isSafeInteger(value)) return value + 0;
  if (token.length > MAX_INTEGER_DIGITS) throw new SyntaxError("number out of range");
  return BigInt(token);
}

/** The value of a JSON number with a point or an exponent. */
export function decimalOf(token: string): Real {
  const value = Number(token);
  return isDouble(token, value) ? new Real(value) : new Exact(token);
}

/** The value of a JSON number with a point or an exponent. @throws SyntaxError if no double is as large */
export function finiteDecimalOf(token: string): Real {
  if (!Number.isFinite(Number(token))) throw new SyntaxError("number out of range");
  return decimalOf(token);
}

/**
 * True if the text of a double has all digits of the token, also zeros at the end. Most tokens are what JavaScript has
 * written for one.
 */
const isDouble = (token: string, value: number): boolean =>
  (token.length <= SAFE_DIGITS && token.charCodeAt(token.length - 1) !== ZERO) ||
  token === String(value) ||
  token === realText(value) ||
  (hasExponent(token) && hasValueOf(token, value));

const hasExponent = (token: string): boolean => /e/i.test(token);

/** The same number without an {@link Exact} that has only zeros more than the text of a double. */
export const withoutEndZeros = (real: Real): Real =>
  real instanceof Exact && hasValueOf(real.text, real.value) ? new Real(real.value) : real;
