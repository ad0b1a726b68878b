/** True if the text is a number with the digits that JavaScript writes for the value, up to zeros at the end. */
export const hasValueOf = (token: string, value: number): boolean =>
  digitsOf(token) === digitsOf(String(value));

/**
 * Digits without the zeros at their end, in linear time: `/0+$/` is tried again at each zero.
 *
 * @example
 * withoutLastZeros("10200"); // "102"
 */
export function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}

/** The digits of a number without zeros at both ends, and its exponent: equal for equal numbers. */
function digitsOf(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = withoutLastZeros(digits);
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
