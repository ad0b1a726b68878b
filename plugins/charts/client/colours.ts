import { nameOf, shortName } from "./bars.js";
import type { Frame, Value } from "./frame.js";

const SERIES = Array.from({ length: 8 }, (_, index) => `var(--series-${index + 1})`);

/** The colour of each row. */
export interface Colours {
  readonly domain: readonly string[];
  readonly range: readonly string[];
  readonly of: (row: Readonly<Record<string, Value>>) => string;
}

/**
 * A colour for each value of a column. There are eight colours. With more values, the seven most frequent have their
 * own, and all others share the last one.
 */
export function coloursOf({ rows, kinds }: Frame, column: string): Colours {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(nameOf(row[column]), (counts.get(nameOf(row[column])) ?? 0) + 1);
  const byCount = [...counts].toSorted(([, left], [, right]) => right - left).map(([name]) => name);
  const hasOthers = byCount.length > SERIES.length;
  const own = byCount.slice(0, hasOthers ? SERIES.length - 1 : SERIES.length);
  if (kinds.get(column) !== "category")
    own.sort((left, right) => left.localeCompare(right, "en", { numeric: true }));
  const others = `${(byCount.length - own.length).toLocaleString("en")} others`;
  const isOwn = new Set(own);
  return {
    domain: hasOthers ? [...own.map(shortName), others] : own.map(shortName),
    range: SERIES,
    of: (row) => {
      const name = nameOf(row[column]);
      return isOwn.has(name) ? shortName(name) : others;
    },
  };
}
