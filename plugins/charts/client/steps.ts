/** Steps of dates, from the longest to the shortest, with their length in days. */
export const DATE_STEPS = { year: 365, quarter: 91, month: 30, week: 7, day: 1, hour: 1 / 24 } as const;
export type DateStep = keyof typeof DATE_STEPS;

const DAY_MS = 86_400_000;

export const isDateStep = (step: string): step is DateStep => Object.hasOwn(DATE_STEPS, step);

/** The shortest step of which at most `most` are between two times. */
export function stepBetween(from: number, to: number, most: number): DateStep {
  const days = (to - from) / DAY_MS;
  const steps = Object.entries(DATE_STEPS).toReversed();
  return (steps.find(([, length]) => days / length <= most)?.[0] ?? "year") as DateStep;
}

/** A width of 1, 2 or 5 times a power of ten, of which about `wanted` are between two numbers. */
export function widthBetween(from: number, to: number, wanted: number): number {
  const rough = Math.max((to - from) / wanted, 1e-6);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((one) => one * power >= rough * 0.999) ?? 10;
  return Number((factor * power).toPrecision(1));
}

/** The end of an interval, without the digits that binary fractions add. */
export const endOfInterval = (from: number, width: number): number => Number((from + width).toPrecision(12));

/** The time at which a step begins: that of `2024-Q2` is the first of April. */
export function startOfStep(text: string): Date {
  const [, year = "", quarter] = /^(\d+)-Q(\d)$/.exec(text) ?? [];
  if (quarter !== undefined) return new Date(Date.UTC(Number(year), (Number(quarter) - 1) * 3));
  return new Date(/ /.test(text) ? `${text.replace(" ", "T")}Z` : text);
}

/** The time at which the next step begins. */
export function nextStep(start: Date, step: DateStep): Date {
  const next = new Date(start);
  if (step === "year") next.setUTCFullYear(start.getUTCFullYear() + 1);
  else if (step === "quarter") next.setUTCMonth(start.getUTCMonth() + 3);
  else if (step === "month") next.setUTCMonth(start.getUTCMonth() + 1);
  else next.setTime(start.valueOf() + (step === "week" ? 7 : step === "day" ? 1 : 1 / 24) * DAY_MS);
  return next;
}

/** The step in which a time is, as the server writes it. */
export function textOfStep(time: Date, step: DateStep): string {
  const text = time.toISOString();
  switch (step) {
    case "year":
      return text.slice(0, 4);
    case "quarter":
      return `${text.slice(0, 4)}-Q${Math.floor(time.getUTCMonth() / 3) + 1}`;
    case "month":
      return text.slice(0, 7);
    case "week":
      return new Date(time.valueOf() - ((time.getUTCDay() + 6) % 7) * DAY_MS).toISOString().slice(0, 10);
    case "day":
      return text.slice(0, 10);
    case "hour":
      return `${text.slice(0, 10)} ${text.slice(11, 13)}:00`;
  }
}
