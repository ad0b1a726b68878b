import type { Choice } from "./choice.js";
import type { Frame, Value } from "./frame.js";

export const MAX_BARS = 50;

/** The bars of a chart: the names of the drawn ones, from top to bottom, and the number of all bars. */
export interface Bars {
  readonly names: readonly string[];
  readonly total: number;
}

/** The longest bars. Numbers and dates are in their own order, other values by length. */
export function barsOf({ rows, kinds }: Frame, { x, y }: Choice): Bars {
  const lengths = new Map<string, { length: number; readonly value: Value }>();
  for (const row of rows) {
    const value = row[x] ?? null;
    const bar = lengths.get(nameOf(value)) ?? { length: 0, value };
    bar.length += y === "" ? 1 : Number(row[y] ?? 0);
    lengths.set(nameOf(value), bar);
  }
  const longest = [...lengths]
    .toSorted(([, left], [, right]) => right.length - left.length)
    .slice(0, MAX_BARS);
  const isOrdered = kinds.get(x) !== "category";
  const bars = isOrdered
    ? longest.toSorted(([, left], [, right]) => rank(left.value) - rank(right.value))
    : longest;
  return { names: bars.map(([name]) => name), total: lengths.size };
}

/** Missing values come last. */
const rank = (value: Value): number => (value === null || value === "" ? Number.MAX_VALUE : Number(value));

/** A value as text. Dates without a time are shown as days. */
export function nameOf(value: Value | undefined): string {
  if (value === null || value === undefined) return "(null)";
  if (value === "") return "(blank)";
  if (!(value instanceof Date)) return String(value);
  const text = value.toISOString();
  return text.endsWith("T00:00:00.000Z") ? text.slice(0, 10) : text.slice(0, 19).replace("T", " ");
}

const LONGEST_LABEL = 28;

/** A name, truncated to the available space. */
export const shortName = (name: string): string =>
  name.length > LONGEST_LABEL ? `${name.slice(0, LONGEST_LABEL - 1)}…` : name;
