import type { DateStep } from "rowhouse/plugin-api/engine";

/** The lengths of time by which dates can be grouped. */
export const DATE_STEPS: readonly DateStep[] = ["year", "quarter", "month", "week", "day", "hour"];

/**
 * The first text of a step and that of the next one, between which are the dates of the step; null for hours, whose
 * texts may be written in two ways.
 *
 * @example
 * rangeOfStep("2024-Q4", "quarter"); // ["2024-10", "2025-01"]
 */
export function rangeOfStep(value: string, step: DateStep): readonly [from: string, before: string] | null {
  const [year = NaN, month = NaN] = value.split(/-Q?/).map(Number);
  switch (step) {
    case "year":
      return [value, String(year + 1).padStart(4, "0")];
    case "quarter":
      return [monthText(year, month * 3 - 2), monthText(year, month * 3 + 1)];
    case "month":
      return [value, monthText(year, month + 1)];
    case "week":
      return [value, dayAfter(value, 7)];
    case "day":
      return [value, dayAfter(value, 1)];
    case "hour":
      return null;
  }
}

/** Months beyond 12 belong to the next year. */
const monthText = (year: number, month: number): string =>
  new Date(Date.UTC(year, month - 1, 1)).toISOString().slice(0, 7);

const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
