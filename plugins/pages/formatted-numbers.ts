import { languageRules, type Translator } from "rowhouse/plugin-api/html";

const UNITS = ["bytes", "KB", "MB", "GB", "TB"] as const;

/** `512 bytes`, `1.5 KB`: steps of 1024, one decimal from KB up. */
export function humanSize(bytes: number, { language, t }: Translator): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  if (unit === 0) return t("size.bytes", { count: String(size) });
  return `${fixedDecimals(size, 1, language)} ${UNITS[unit]}`;
}

/** A number with this many decimals, without groups of digits: `240.024`, and `240,024` in German. */
export function fixedDecimals(value: number, decimals: number, language: string): string {
  const { groupSeparator, decimalPoint } = languageRules(language);
  if (groupSeparator !== null) return value.toFixed(decimals).replace(".", decimalPoint);
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping: false };
  return value.toLocaleString(language, digits);
}
