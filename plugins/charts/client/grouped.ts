import type { Choice } from "./choice.js";
import { numberOf } from "./numbers.js";
import type { ColumnKind, Value } from "./frame.js";
import { endOfInterval, isDateStep, nextStep, startOfStep, stepBetween, widthBetween } from "./steps.js";

/** One value of a chart: a bar, a point of a line, or a part of them in one colour. */
export interface Measured {
  /** A value of the column, the text of a step of dates, or the lower bound of an interval. */
  readonly x: Value;
  readonly color: Value;
  /** The value whose chart it is in; absent if there is one chart. */
  readonly split?: Value;
  readonly value: number | null;
  /** All digits of a value that is an integer beyond 2^53. */
  readonly exact?: bigint;
}

/** The values of a chart that are computed of rows. */
export interface Grouped {
  readonly measured: readonly Measured[];
  /** The step that was used: a step of dates, a width, or `each`. */
  readonly step: string;
  /** The number of all values of `x`; null if there are more than these and they were not counted. */
  readonly total: number | null;
  /** True if the values are those of some rows only. */
  readonly isOfSomeRows: boolean;
  /** The values that have a chart of their own; null for one chart. */
  readonly splits: Splits | null;
}

/** Values of a column of which each has a chart. */
export interface Splits {
  /** Those with the most rows. */
  readonly shown: readonly Value[];
  /** The number of all values; null if they were not counted. */
  readonly total: number | null;
}

/** The extent of the values of a column. */
export interface Extent {
  readonly from: number;
  readonly to: number;
  readonly distinct: number;
}

export const MAX_BARS = 50;
/** Bars of each of several charts. */
export const MAX_BARS_OF_EACH = 12;
/** Charts beside each other. */
export const MAX_CHARTS = 12;
const MOST_POINTS = 400;

/** The step of a chart: the chosen one, else one that gives a readable number of bars or points. */
export function stepFor({ mark, step }: Choice, kind: ColumnKind, { from, to, distinct }: Extent): string {
  const fits = kind === "date" ? isDateStep(step) : kind === "number" && Number(step) > 0;
  if (fits) return step;
  if (kind === "category" || !Number.isFinite(from) || !Number.isFinite(to)) return "each";
  const most = mark === "line" ? MOST_POINTS : MAX_BARS;
  if (mark !== "histogram" && (step === "each" || distinct <= most)) return "each";
  if (kind === "date") return stepBetween(from, to, mark === "line" ? 120 : 40);
  return String(widthBetween(from, to, mark === "line" ? 100 : 20));
}

/** Where a value begins and ends on an axis of numbers or times; null for values without a place there. */
export function placeOf(
  x: Value,
  step: string,
): { readonly start: number | Date; readonly end: number | Date } | null {
  if (x === null || x === "") return null;
  if (isDateStep(step)) {
    const start = startOfStep(String(x));
    return Number.isNaN(start.valueOf()) ? null : { start, end: nextStep(start, step) };
  }
  if (step === "each") {
    const place = x instanceof Date ? x : numberOf(x);
    return place === null ? null : { start: atNumber(place), end: atNumber(place) };
  }
  const start = Number(x);
  return Number.isNaN(start) ? null : { start, end: endOfInterval(start, Number(step)) };
}

const atNumber = (place: number | bigint | Date): number | Date =>
  typeof place === "bigint" ? Number(place) : place;

/** The values without those of no place on the axis, in its order, with zero for steps without a row. */
export function alongAxis({ measured, step }: Grouped, counts: boolean): readonly Measured[] {
  const placed = measured.filter(({ x }) => placeOf(x, step) !== null);
  const sorted = placed.toSorted((one, other) => rank(one.x, step) - rank(other.x, step));
  return counts && isDateStep(step) && sorted.every(({ color }) => color === null)
    ? withZeros(sorted, step)
    : sorted;
}

const rank = (x: Value, step: string): number => Number(placeOf(x, step)?.start ?? 0);

const MOST_ZEROS = 2000;

function withZeros(sorted: readonly Measured[], step: string): readonly Measured[] {
  const all: Measured[] = [];
  for (const one of sorted) {
    const before = all.at(-1);
    let next = before === undefined ? undefined : placeOf(before.x, step)?.end;
    const start = placeOf(one.x, step)?.start ?? 0;
    while (next instanceof Date && next < start && all.length < MOST_ZEROS && isDateStep(step)) {
      all.push({ x: textAt(next, String(one.x)), color: null, value: 0 });
      next = nextStep(next, step);
    }
    all.push(one);
  }
  return all;
}

/** A time in the form of another text of the same step. */
function textAt(time: Date, like: string): string {
  if (/Q/.test(like)) return `${time.getUTCFullYear()}-Q${Math.floor(time.getUTCMonth() / 3) + 1}`;
  return time.toISOString().replace("T", " ").slice(0, like.length);
}
