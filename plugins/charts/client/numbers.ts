import { pageLanguage } from "rowhouse/browser";

/** Thousands are separated from 10,000 on, as in tables: `12,345`, but `1984`. */
const FORMAT = new Intl.NumberFormat(pageLanguage(), { maximumFractionDigits: 6, useGrouping: "min2" });

/** A number in words, tips and tables. */
export const numberText = (value: number): string => FORMAT.format(value);

/** A value of an axis of numbers in a tip; other values as text. */
export const tipText = (value: unknown): string =>
  typeof value === "number" ? numberText(value) : String(value);
