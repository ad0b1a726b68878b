import type { SqlValue } from "rowhouse/plugin-api";

/** A number as the page shows it. */
export type WriteNumber = (value: number | bigint) => string;

/** Thousands are separated in columns with a number from 10,000 on, as in tables: a year is `1984`. */
const FIVE_DIGITS = 10_000;
const FEWEST_DECIMALS = 2;
const MOST_DECIMALS = 10;

/**
 * How the numbers of a column are written: with the same decimals, of which the smallest has three digits that matter.
 *
 * @param language of the page
 */
export function columnWriter(values: readonly SqlValue[], language: string): WriteNumber {
  const numbers = values.map(Number).filter((value) => Number.isFinite(value));
  const decimals = decimalsOf(numbers);
  return new Intl.NumberFormat(language, {
    useGrouping: numbers.some((value) => Math.abs(value) >= FIVE_DIGITS) ? "always" : "min2",
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format;
}

function decimalsOf(numbers: readonly number[]): number {
  if (numbers.every(Number.isInteger)) return 0;
  const smallest = Math.min(...numbers.map(Math.abs).filter((number) => number > 0));
  const needed = 3 - Math.ceil(Math.log10(smallest));
  return Math.min(MOST_DECIMALS, Math.max(FEWEST_DECIMALS, needed));
}
