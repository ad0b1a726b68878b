import { pageLanguage } from "rowhouse/browser";

/** Thousands are separated from 10,000 on, as in tables: `12,345`, but `1984`. Of small numbers six digits matter. */
const FORMAT = new Intl.NumberFormat(pageLanguage(), {
  maximumFractionDigits: 6,
  maximumSignificantDigits: 6,
  roundingPriority: "morePrecision",
  useGrouping: "min2",
});

/** A number in words, tips and tables. */
export const numberText = (value: number | bigint): string => FORMAT.format(value);

const LONG_INTEGER = /^-?\d{16,}$/;

/** A value of a column of numbers; integers beyond 2^53 are texts. Null for anything else. */
export function numberOf(value: unknown): number | bigint | null {
  if (typeof value === "number") return value;
  return typeof value === "string" && LONG_INTEGER.test(value) ? BigInt(value) : null;
}

/** A value of an axis of numbers in a tip; other values as text. */
export function tipText(value: unknown): string {
  const number = numberOf(value);
  return number === null ? String(value) : numberText(number);
}

/** A number as the value of a chart, and all its digits if it is an integer beyond 2^53. */
export function measuredNumber(number: number | bigint | null): {
  readonly value: number | null;
  readonly exact?: bigint;
} {
  const value = number === null ? null : Number(number);
  return typeof number === "bigint" && !Number.isSafeInteger(value) ? { value, exact: number } : { value };
}
