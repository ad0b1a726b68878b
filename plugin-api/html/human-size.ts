import { languageRules } from "./language-rules.js";

const UNITS = ["KB", "MB", "GB", "TB"] as const;

/**
 * A size in steps of 1024, with one decimal; null below 1 KB, where the number of bytes is short enough.
 *
 * @example
 * humanSize(1536, "en"); // "1.5 KB"
 * humanSize(1536, "de"); // "1,5 KB"
 * humanSize(512, "en"); // null
 */
export function humanSize(bytes: number, language: string): string | null {
  if (bytes < 1024) return null;
  const power = Math.min(UNITS.length, Math.floor(Math.log2(bytes) / 10));
  return `${fixedDecimals(bytes / 1024 ** power, 1, language)} ${UNITS[power - 1]}`;
}

/**
 * A number with this many decimals, without groups of digits.
 *
 * @example
 * fixedDecimals(1240.0237, 3, "en"); // "1240.024"
 * fixedDecimals(1240.0237, 3, "de"); // "1240,024"
 */
export function fixedDecimals(value: number, decimals: number, language: string): string {
  const { groupSeparator, decimalPoint } = languageRules(language);
  if (groupSeparator !== null) return value.toFixed(decimals).replace(".", decimalPoint);
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping: false };
  return value.toLocaleString(language, digits);
}
