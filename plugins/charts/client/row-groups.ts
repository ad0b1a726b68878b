import type { Choice } from "./choice.js";
import { isPartial, type Frame, type Value } from "./frame.js";
import { MAX_BARS, MAX_BARS_OF_EACH, stepFor, type Extent, type Grouped, type Measured } from "./grouped.js";
import { measuredNumber, numberOf } from "./numbers.js";
import { keyOf, splitsOf } from "./splits.js";
import { isDateStep, textOfStep } from "./steps.js";

type Row = Frame["rows"][number];

/** The values of a chart, computed of the loaded rows: results of SQL have no groups in the database. */
export function rowGroups(frame: Frame, choice: Choice): Grouped {
  const { x, color, split } = choice;
  const kind = frame.kinds.get(x) ?? "category";
  const step = stepFor(choice, kind, extentOf(frame, x));
  const splits = split === "" ? null : splitsOf(frame.rows, split, isPartial(frame));
  const charts = new Set(splits?.shown.map(keyOf));
  const groups = new Map<string, Omit<Measured, "value" | "exact"> & { readonly rows: Row[] }>();
  for (const row of frame.rows) {
    const place = stepOf(row[x] ?? null, step);
    const colour = color === "" ? null : (row[color] ?? null);
    const chart = split === "" ? null : (row[split] ?? null);
    if (splits !== null && !charts.has(keyOf(chart))) continue;
    const key = JSON.stringify([place, colour, chart]);
    const group = groups.get(key) ?? { x: place, color: colour, split: chart, rows: [] };
    group.rows.push(row);
    groups.set(key, group);
  }
  const measured = [...groups.values()].map(({ rows, ...group }) => ({
    ...group,
    ...measuredNumber(measureOf(rows, choice)),
  }));
  const lengths = new Map<string, number>();
  for (const one of measured) {
    const key = JSON.stringify(one.x);
    lengths.set(key, (lengths.get(key) ?? 0) + (one.value ?? 0));
  }
  const byLength = [...lengths].toSorted(([, one], [, other]) => other - one).map(([key]) => key);
  const isLongest = choice.mark === "bar" && step === "each";
  const most = split === "" ? MAX_BARS : MAX_BARS_OF_EACH;
  const shown = new Set(isLongest ? byLength.slice(0, most) : byLength);
  return {
    measured: measured.filter((one) => shown.has(JSON.stringify(one.x))),
    step,
    total: lengths.size,
    isOfSomeRows: isPartial(frame),
    splits,
  };
}

function extentOf({ rows }: Frame, x: string): Extent {
  const numbers = rows.flatMap((row) => (row[x] === null || row[x] === "" ? [] : [Number(row[x])]));
  return {
    from: numbers.reduce((least, one) => Math.min(least, one), Infinity),
    to: numbers.reduce((most, one) => Math.max(most, one), -Infinity),
    distinct: new Set(numbers).size,
  };
}

function stepOf(value: Value, step: string): Value {
  if (step === "each" || value === null || value === "") return value;
  if (isDateStep(step)) return value instanceof Date ? textOfStep(value, step) : null;
  const width = Number(step);
  const number = Number(value);
  return Number.isNaN(number)
    ? null
    : Number((Math.floor(Number((number / width).toFixed(9))) * width).toPrecision(12));
}

function measureOf(rows: readonly Row[], { y, agg }: Choice): number | bigint | null {
  if (y === "") return rows.length;
  const values = rows.map((row) => row[y] ?? null).filter((value) => value !== null);
  if (agg === "distinct") return new Set(values.map(String)).size;
  const numbers = values.map(numberOf).filter((number) => number !== null);
  if (numbers.length === 0) return agg === "sum" ? 0 : null;
  switch (agg) {
    case "avg":
      return Number(sumOf(numbers)) / numbers.length;
    case "min":
      return numbers.reduce((least, number) => (number < least ? number : least));
    case "max":
      return numbers.reduce((most, number) => (number > most ? number : most));
    default:
      return sumOf(numbers);
  }
}

/** The sum of integers has all digits. */
function sumOf(numbers: readonly (number | bigint)[]): number | bigint {
  const integers = numbers.flatMap((number) =>
    typeof number === "bigint" || Number.isSafeInteger(number) ? [BigInt(number)] : [],
  );
  return integers.length === numbers.length
    ? integers.reduce((total, number) => total + number, 0n)
    : numbers.reduce<number>((total, number) => total + Number(number), 0);
}
