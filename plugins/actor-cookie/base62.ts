const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz";

/** A whole number from 0 on as text of `A-Z0-9a-z`, most significant digit first: 1700003600 is `BrDCau`. */
export function base62(number: number): string {
  let text = "";
  let rest = number;
  do {
    text = DIGITS.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  } while (rest > 0);
  return text;
}

/** The number back; null for text with other characters, or beyond exact whole numbers. */
export function fromBase62(text: string): number | null {
  let number = 0;
  for (const character of text) {
    const digit = DIGITS.indexOf(character);
    if (digit < 0) return null;
    number = number * 62 + digit;
    if (!Number.isSafeInteger(number)) return null;
  }
  return number;
}
