/** The lengths of time by which dates can be grouped. */
export const DATE_STEPS = ["year", "quarter", "month", "week", "day", "hour"] as const;
/** A length of time by which dates can be grouped. */
export type DateStep = (typeof DATE_STEPS)[number];

const FORMATS: Readonly<Record<Exclude<DateStep, "quarter" | "week">, string>> = {
  year: "%Y",
  month: "%Y-%m",
  day: "%Y-%m-%d",
  hour: "%Y-%m-%d %H:00",
};

/**
 * The SQL of SQLite for the step of a date: `2024`, `2024-Q2`, `2024-05`, `2024-05-20` (the day, or the Monday of the
 * week), `2024-05-20 13:00`. Texts are dates as SQLite reads them, numbers are seconds since 1970. Other values are NULL.
 */
export function dateStepSql(column: string, step: DateStep): string {
  // Small numbers are years or counts. As seconds they would all be the first days of 1970.
  const isSeconds = `typeof(${column}) <> 'text' and abs(${column}) >= 100000000`;
  const date = `case when typeof(${column}) = 'text' then datetime(${column}) when ${isSeconds} then datetime(${column}, 'unixepoch') end`;
  if (step === "week") return `date(${date}, 'weekday 0', '-6 days')`;
  if (step === "quarter") {
    return `strftime('%Y-Q', ${date}) || ((cast(strftime('%m', ${date}) as integer) + 2) / 3)`;
  }
  return `strftime('${FORMATS[step]}', ${date})`;
}

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
