import type { ColumnFacts } from "../contracts/tables.js";
import { isNumber, isObject, Real } from "../engine/values.js";
import type { RowSet } from "../http/route.js";
import { languageRules } from "./language-rules.js";

/** How the numbers of a column are shown. Exports and JSON always have the stored numbers. */
export interface NumberFormat {
  /** True to separate thousands: `12,345`. */
  readonly isGrouped: boolean;
  /** Numbers with fewer digits before the point have no separator. */
  readonly fewestGroupedDigits: number;
  /** The number of digits after the point; null for those of each number. */
  readonly decimals: number | null;
  /** True to show this number of digits for whole numbers, too, and to round longer ones. */
  readonly isFixed: boolean;
  /** The marks of a language other than English. */
  readonly marks: Marks | null;
}

interface Marks {
  /** Empty in languages that group digits otherwise than by three. */
  readonly separator: string;
  readonly point: string;
}

/** Years and keys have four digits or fewer, and are read as they are. */
const FEWEST_GROUPED_DIGITS = 5;
const FIVE_DIGITS = 10_000;
/** With more digits than these in one number, the others are not filled with zeros. */
const MOST_FILLED_DECIMALS = 6;
/** Numbers that name something, and are not counted or measured. */
const NAMES_SOMETHING = /(?:^|_)(?:id|year|code|zip|postcode|plz|phone|tel|isbn|number|no|nr|rowid)$/i;

/** What the format of a column depends on; a column of a query has no keys. */
export type NumberedColumn = Pick<ColumnFacts, "name"> &
  Partial<Pick<ColumnFacts, "isPrimaryKey" | "foreignKey">>;

/**
 * The format of each column: that of `number_formats` in the metadata, otherwise the most decimals among the numbers of
 * the page. Keys and columns such as `year` or `zip` are not grouped.
 *
 * @param metadata of the table or query
 * @param language of the page
 * @example
 * numberFormats([{ name: "zip" }], { cells: [[12345]] }, {}, "en")[0].isGrouped; // false
 */
export function numberFormats(
  columns: readonly NumberedColumn[],
  rows: Pick<RowSet, "cells">,
  metadata: Readonly<Record<string, unknown>>,
  language: string,
): readonly NumberFormat[] {
  const marks = marksOf(language);
  const given = isObject(metadata["number_formats"]) ? metadata["number_formats"] : {};
  return columns.map(({ name, isPrimaryKey = false, foreignKey = null }, place) => {
    const own = Object.hasOwn(given, name) && isObject(given[name]) ? given[name] : {};
    const { decimals, grouping } = own as { readonly decimals?: unknown; readonly grouping?: unknown };
    const isName = isPrimaryKey || foreignKey !== null || NAMES_SOMETHING.test(name);
    const isGrouped = typeof grouping === "boolean" ? grouping : !isName;
    return {
      isGrouped,
      fewestGroupedDigits:
        isGrouped && hasFiveDigits(rows, place) ? FEWEST_GROUPED_DIGITS - 1 : FEWEST_GROUPED_DIGITS,
      decimals: typeof decimals === "number" ? decimals : decimalsIn(rows, place),
      isFixed: typeof decimals === "number",
      marks,
    };
  });
}

function marksOf(language: string): Marks | null {
  if (language === "en") return null;
  const { groupSeparator, decimalPoint } = languageRules(language);
  return { separator: groupSeparator ?? "", point: decimalPoint };
}

/** True if a number of the column is grouped anyway: the others of four digits then are, too. */
const hasFiveDigits = ({ cells }: Pick<RowSet, "cells">, place: number): boolean =>
  cells?.some((row) => {
    const cell = row[place];
    return isNumber(cell) && Math.abs(Number(cell)) >= FIVE_DIGITS;
  }) ?? false;

/** The most digits after the point; null if there are too many of them. */
function decimalsIn({ cells }: Pick<RowSet, "cells">, place: number): number | null {
  let most = 0;
  for (const row of cells ?? []) {
    const cell = row[place];
    if (!(cell instanceof Real)) continue;
    const text = String(cell);
    const point = text.indexOf(".");
    const digits = point === -1 || text.includes("e") || text.includes("E") ? 0 : text.length - point - 1;
    if (digits > MOST_FILLED_DECIMALS) return null;
    if (digits > most) most = digits;
  }
  return most;
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/**
 * A number as its column shows it. Numbers with an exponent, and infinities, are shown as they are.
 *
 * @param stored the text of the number
 * @example
 * const [format] = numberFormats([{ name: "people" }], { cells: [[12345]] }, {}, "en");
 * shownNumber(1234, format); // "1,234"
 */
export function shownNumber(
  number: number | bigint | Real,
  format: NumberFormat,
  stored = String(number),
): string {
  const shown = shortNumber(stored, format) ?? formatted(number, format, stored);
  const { marks } = format;
  return marks === null
    ? shown
    : shown.replace(/[.,]/g, (mark) => (mark === "." ? marks.point : marks.separator));
}

/** Numbers of few digits, as most are: they may need zeros at the end, but no other change. Null for all others. */
function shortNumber(stored: string, format: NumberFormat): string | null {
  const { decimals, isFixed, fewestGroupedDigits } = format;
  const point = stored.indexOf(".");
  if (point === -1) return stored.length < fewestGroupedDigits && !isFixed ? stored : null;
  if (point >= fewestGroupedDigits || stored.includes("e")) return null;
  const length = decimals === null ? stored.length : point + 1 + decimals;
  return stored.length > length ? null : stored.padEnd(length, "0");
}

function formatted(number: number | bigint | Real, format: NumberFormat, raw: string): string {
  const { isFixed, decimals, isGrouped, fewestGroupedDigits } = format;
  const stored = DECIMAL.exec(raw);
  if (stored === null) return raw;
  const isRounded = isFixed && decimals !== null && (stored[3] ?? "").length > decimals;
  const [, sign = "", whole = "", fraction] = isRounded
    ? (DECIMAL.exec(Number(number).toFixed(decimals)) ?? stored)
    : stored;
  const isWhole = fraction === undefined && stored[3] === undefined;
  const digits =
    decimals === null || (isWhole && !isFixed) ? fraction : (fraction ?? "").padEnd(decimals, "0");
  const end = digits === undefined || digits === "" ? "" : `.${digits}`;
  return `${sign}${isGrouped && whole.length >= fewestGroupedDigits ? groupedDigits(whole) : whole}${end}`;
}

/** Digits with a separator between each three of them: `1,234,567`. */
function groupedDigits(digits: string): string {
  let grouped = digits.slice(-3);
  for (let end = digits.length - 3; end > 0; end -= 3) {
    grouped = `${digits.slice(Math.max(0, end - 3), end)},${grouped}`;
  }
  return grouped;
}
