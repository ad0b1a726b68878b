import type { DateStep } from "rowhouse/plugin-api/engine";

const FORMATS: Readonly<Record<Exclude<DateStep, "quarter" | "week">, string>> = {
  year: "%Y",
  month: "%Y-%m",
  day: "%Y-%m-%d",
  hour: "%Y-%m-%d %H:00",
};

/** The step of a text that SQLite reads as a date, also with slashes, or of a number of seconds since 1970. */
export function dateStep(expression: string, step: DateStep): string {
  // Small numbers are years or counts. As seconds, all of them would be days of the first years after 1970.
  // `abs` fails for the least integer.
  const isFar = `(${expression} >= 100000000 or ${expression} <= -100000000)`;
  const isSeconds = `typeof(${expression}) in ('integer', 'real') and ${isFar}`;
  const date =
    `case when typeof(${expression}) = 'text' then datetime(replace(${expression}, '/', '-')) ` +
    `when ${isSeconds} then datetime(${expression}, 'unixepoch') end`;
  if (step === "week") return `date(${date}, 'weekday 0', '-6 days')`;
  if (step === "quarter") {
    return `strftime('%Y-Q', ${date}) || ((cast(strftime('%m', ${date}) as integer) + 2) / 3)`;
  }
  return `strftime('${FORMATS[step]}', ${date})`;
}

/**
 * The lower bound of the interval of a number. Integers stay exact. Quotients of fractions are rounded to nine digits, so
 * that 0.3 is not below 3 times 0.1. Infinite numbers have none.
 */
export function interval(expression: string, width: number): string {
  const digits = String(width).split(".")[1]?.length ?? 0;
  const bound = `round(floor(round(${expression} / (${width} * 1.0), 9)) * ${width}, ${digits})`;
  const found = `nullif(nullif(${bound}, 9e999), -9e999)`;
  if (digits > 0) return `case when typeof(${expression}) in ('integer', 'real') then ${found} end`;
  const whole = `${expression} - ((${expression} % ${width}) + ${width}) % ${width}`;
  return (
    `case typeof(${expression}) when 'integer' then ${whole} ` +
    `when 'real' then case when abs(${expression}) < 1e15 then cast(${found} as integer) else ${found} end end`
  );
}
