/** A whole number with separators: `1,234,567`. */
export const formattedNumber = (count: number | bigint): string =>
  // Much faster than `Intl`; a page may show hundreds of numbers.
  String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");

/** `1 row`, `2,000 rows` */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${formattedNumber(count)} ${count === 1 ? one : many}`;

const UNITS = ["bytes", "KB", "MB", "GB", "TB"] as const;

/** `512 bytes`, `1.5 KB`: steps of 1024, one decimal from KB up. */
export function humanSize(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${size} bytes` : `${size.toFixed(1)} ${UNITS[unit]}`;
}
