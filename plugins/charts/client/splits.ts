import type { Choice } from "./choice.js";
import { isPartial, type Frame, type Value } from "./frame.js";
import { MAX_CHARTS, type Grouped, type Splits } from "./grouped.js";

/** The values with the most rows, each of which has a chart. */
export function splitsOf(rows: Frame["rows"], split: string, isOfSome: boolean): Splits {
  const counts = new Map<string, { readonly value: Value; readonly count: number }>();
  for (const row of rows) {
    const value = row[split] ?? null;
    const key = keyOf(value);
    counts.set(key, { value, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  const byCount = [...counts.values()].toSorted((one, other) => other.count - one.count);
  return {
    shown: byCount.slice(0, MAX_CHARTS).map(({ value }) => value),
    total: isOfSome ? null : byCount.length,
  };
}

/** The text that two equal values share. */
export const keyOf = (value: Value): string => JSON.stringify(value);

interface Whole {
  readonly choice: Choice;
  readonly frame: Frame;
  readonly grouped: Grouped | null;
}

/** The values that have a chart of their own; null for one chart. */
export function chartsOf({ choice, frame, grouped }: Whole): Splits | null {
  if (choice.split === "") return null;
  return grouped === null ? splitsOf(frame.rows, choice.split, isPartial(frame)) : grouped.splits;
}

/** The part of a drawing with one value. */
export function partOf<Drawn extends Whole>(drawing: Drawn, value: Value): Drawn {
  const { choice, frame, grouped } = drawing;
  const key = keyOf(value);
  const rows = frame.rows.filter((row) => keyOf(row[choice.split] ?? null) === key);
  const measured = grouped?.measured.filter((one) => keyOf(one.split ?? null) === key) ?? [];
  return {
    ...drawing,
    frame: { ...frame, rows },
    grouped: grouped === null ? null : { ...grouped, measured },
  };
}
