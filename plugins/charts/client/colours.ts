import type { ColumnKind, Value } from "./frame.js";
import { nameOf } from "./names.js";
import { t } from "./texts.js";

const SERIES = Array.from({ length: 8 }, (_, index) => `var(--series-${index + 1})`);

/** The colours of the values of a column. */
export interface Colours {
  readonly domain: readonly string[];
  readonly range: readonly string[];
  readonly of: (value: Value) => string;
}

/**
 * A colour for each value of a column. There are eight colours. With more values, the seven with the most weight have
 * their own, and all others share the last one.
 */
export function coloursOf(
  values: readonly { readonly value: Value; readonly weight: number }[],
  kind: ColumnKind,
): Colours {
  const weights = new Map<string, number>();
  for (const { value, weight } of values)
    weights.set(nameOf(value), (weights.get(nameOf(value)) ?? 0) + weight);
  const byWeight = [...weights].toSorted(([, left], [, right]) => right - left).map(([name]) => name);
  const hasOthers = byWeight.length > SERIES.length;
  const own = byWeight.slice(0, hasOthers ? SERIES.length - 1 : SERIES.length);
  if (kind !== "category") own.sort((left, right) => left.localeCompare(right, "en", { numeric: true }));
  const others = t("script.chart.others", { count: byWeight.length - own.length });
  const isOwn = new Set(own);
  return {
    domain: hasOthers ? [...own, others] : own,
    range: SERIES,
    of: (value) => {
      const name = nameOf(value);
      return isOwn.has(name) ? name : others;
    },
  };
}
