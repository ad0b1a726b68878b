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
  return `${oneDecimal(size, language)} ${UNITS[unit]}`;
}

function oneDecimal(value: number, language: string): string {
  const { groupSeparator, decimalPoint } = languageRules(language);
  if (groupSeparator !== null) return value.toFixed(1).replace(".", decimalPoint);
  const decimals = { minimumFractionDigits: 1, maximumFractionDigits: 1, useGrouping: false };
  return value.toLocaleString(language, decimals);
}
