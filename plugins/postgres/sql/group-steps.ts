import type { Column } from "rowhouse/plugin-api";
import type { DateStep } from "rowhouse/plugin-api/engine";
import { dayOf, hasYear } from "./days.js";
import { columnFamily, valueType } from "./types.js";

const FORMATS: Readonly<Record<DateStep, string>> = {
  year: "YYYY",
  quarter: 'YYYY-"Q"Q',
  month: "YYYY-MM",
  week: "YYYY-MM-DD",
  day: "YYYY-MM-DD",
  hour: "YYYY-MM-DD HH24:00",
};

/** The step of a date, a timestamp, a text that begins with a day (`2026-01-31`, `2026/01/31`), or a number of seconds since 1970. */
export function dateStep(expression: string, step: DateStep, column: Column | undefined): string {
  const time = timeOf(expression, step, column);
  const begin = step === "week" ? `date_trunc('week', ${time})` : time;
  return `to_char(${begin}, '${FORMATS[step]}')`;
}

function timeOf(expression: string, step: DateStep, column: Column | undefined): string {
  const family = column === undefined ? "text" : columnFamily(column);
  switch (family) {
    case "date":
    case "timestamp":
      return `(case when ${hasYear(expression)} then cast(${expression} as timestamp) end)`;
    case "integer":
    case "numeric":
    case "float": {
      // Small numbers are years or counts; the largest have no date. Seconds of the years 1973 to 9999 are in between.
      const number = numeric(expression, column);
      const isSeconds = `abs(${number}) between 100000000 and 253402300799`;
      return `case when ${isSeconds} then to_timestamp(cast(${number} as float8)) at time zone 'UTC' end`;
    }
    case "text":
      return timeOfText(expression, step, column);
    default:
      return "cast(null as timestamp)";
  }
}

/** Days are added to the first of the month, because `cast` fails for days that a month does not have. */
function timeOfText(expression: string, step: DateStep, column: Column | undefined): string {
  const day = dayOf(`replace(cast(${expression} as text) collate "C", '/', '-')`, column);
  const part = (from: number, length: number): string =>
    `cast(substring((${day}), ${from}, ${length}) as integer)`;
  const hour = step === "hour" ? hourOf(expression) : "0";
  // PostgreSQL has no year 0.
  return `make_date(nullif(${part(1, 4)}, 0), ${part(6, 2)}, 1) + (${part(9, 2)} - 1) + make_interval(hours => ${hour})`;
}

const hourOf = (expression: string): string =>
  `cast(coalesce(substring(cast(${expression} as text) collate "C" from '^.{10}[ T]([01]\\d|2[0-3])'), '0') as integer)`;

/** The lower bound of the interval of a number, exact for all types. Infinite numbers and NaN have none. */
export function interval(expression: string, width: number, column: Column | undefined): string {
  const family = column === undefined ? "other" : columnFamily(column);
  switch (family) {
    case "integer":
    case "numeric":
      return `floor(${numeric(finite(expression), column)} / ${width}) * ${width}`;
    case "float":
      // By its text, because a cast of the number itself keeps 15 digits.
      return `cast(floor(round(cast(cast(${finite(expression)} as text) as numeric) / ${width}, 9)) * ${width} as float8)`;
    default:
      return "cast(null as numeric)";
  }
}

/** Object identifiers can't be cast to `numeric`. */
const numeric = (expression: string, column: Column | undefined): string =>
  column !== undefined && valueType(column) === "oid"
    ? `cast(cast(${expression} as bigint) as numeric)`
    : `cast(${expression} as numeric)`;

/** As text, because not all types of numbers can be compared with these values. */
const finite = (expression: string): string =>
  `(case when cast(${expression} as text) not in ('NaN', 'Infinity', '-Infinity') then ${expression} end)`;
