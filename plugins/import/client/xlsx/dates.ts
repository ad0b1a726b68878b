/** What a number format shows of a number: a date, a time of a day, both, or hours without an end. */
export type DateKind = "date" | "time" | "datetime" | "duration";

/** Formats that each workbook has. */
const BUILT_IN: ReadonlyMap<number, DateKind> = new Map<number, DateKind>([
  ...[14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map((id) => [id, "date"] as const),
  ...[18, 19, 20, 21, 32, 33, 34, 35, 45, 47, 55, 56].map((id) => [id, "time"] as const),
  [22, "datetime"],
  [46, "duration"],
]);

/** The kind of a number format by its number and its code; null for a format of other numbers. */
export function dateKindOf(id: number, code: string | null): DateKind | null {
  const builtIn = BUILT_IN.get(id);
  if (builtIn !== undefined || code === null) return builtIn ?? null;
  // Without texts, colours and conditions. `[h]` counts hours.
  const letters = code
    .replace(/"[^"]*"|\\.|_.|\*./g, "")
    .replace(/\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, "")
    .toLowerCase()
    .replace(/general|am\/pm|a\/p/g, "");
  if (letters.includes("[")) return "duration";
  const hasDate = /[dy]/.test(letters) || (/m/.test(letters) && !/[hs]/.test(letters));
  const hasTime = /[hs]/.test(letters);
  if (hasDate) return hasTime ? "datetime" : "date";
  return hasTime ? "time" : null;
}

/** From which day a workbook counts. Excel counts from 1900 as if it had been a leap year, LibreOffice does not. */
export type DateSystem = "1904" | "1900" | "excel-1900";

const DAY_MS = 86_400_000;
/** Day 0, if 1900 is no leap year. */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
/** The day that does not exist: 29 February 1900. */
const MISSING_DAY = 60;
/** Behind 31 December 9999. */
const LAST_DAY = 2_958_466;
/** Programs do not agree on the days before it. */
const FIRST_GREGORIAN_DAY = Date.UTC(1582, 9, 15);

/**
 * A date of a workbook in ISO 8601: `2024-03-01`, `09:30:00`, `2024-03-01T09:30:00`; null for numbers that are no date. A
 * date of which the format shows only the time stays complete. Days before 1900 have negative numbers, as LibreOffice
 * writes them.
 */
export function isoDate(serial: number, kind: DateKind, system: DateSystem): string | null {
  if (!Number.isFinite(serial) || serial > LAST_DAY) return null;
  if (kind === "duration") return durationOf(serial);
  if (kind === "time" && serial < 0) return null;
  const isBeforeMissing = system === "excel-1900" && serial >= 0 && serial < MISSING_DAY;
  const days = isBeforeMissing ? serial + 1 : serial;
  const ms = Math.round(days * DAY_MS);
  const date = (system === "1904" ? EPOCH_1904 : EPOCH_1900) + ms;
  if (date < FIRST_GREGORIAN_DAY) return null;
  const iso = new Date(date).toISOString();
  // Years of more than four digits.
  if (iso.startsWith("+")) return null;
  const time = iso.slice(11, iso.endsWith(".000Z") ? 19 : 23);
  if (kind === "time" && serial < 1) return time;
  const day = iso.slice(0, 10);
  return kind === "date" && ms % DAY_MS === 0 ? day : `${day}T${time}`;
}

/** A time of any length: `26:30:00`, `-01:30:00`. */
function durationOf(serial: number): string {
  const ms = Math.round(Math.abs(serial) * DAY_MS);
  const seconds = Math.floor(ms / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const fraction = ms % 1000 === 0 ? "" : `.${String(ms % 1000).padStart(3, "0")}`;
  return (serial < 0 ? "-" : "") + parts.map((part) => String(part).padStart(2, "0")).join(":") + fraction;
}
