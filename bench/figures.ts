/** The value below which this share of the values is, from 0 to 1; NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** The middle one of the values; NaN without values. */
export const median = (values: readonly number[]): number => percentile(values, 0.5);
