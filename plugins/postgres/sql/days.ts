import type { Column } from "rowhouse/plugin-api";
import type { FilterCondition } from "rowhouse/plugin-api/engine";
import { columnFamily, valueType } from "./types.js";

const ZONED =
  "^(?!0000)\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))[ T](?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?(?:[+-](?:0\\d|1[0-4]):[0-5]\\d)$";

const DAY = "^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])(?:$|[ T]\\d)";

/** True for dates whose year has four digits, so that the order of their texts is that of time. */
export const hasYear = (expression: string): string =>
  `${expression} >= '0001-01-01' and ${expression} < '10000-01-01'`;

/** The day of a value; NULL if it has none. */
export function dayOf(expression: string, found: Column | undefined): string {
  const family = found === undefined ? "text" : columnFamily(found);
  if (family === "date") return `cast(${expression} as text)`;
  if (family === "timestamp")
    return `case when ${hasYear(expression)} then to_char(${expression}, 'YYYY-MM-DD') end`;
  if (family !== "text") return "cast(null as text)";
  // Patterns need a deterministic collation, and here no other rules of it.
  const text = `cast(${expression} as text) collate "C"`;
  // With a time zone, the day in UTC. The pattern has only texts that every cast accepts.
  const inUtc = `to_char(cast(${text} as timestamptz) at time zone 'UTC', 'YYYY-MM-DD')`;
  // Patterns take most of the time of a query: `substring` with one takes three times that of `~`.
  return `case when length(${text}) > 10 and ${text} ~ '${ZONED}' then ${inUtc} when ${text} ~ '${DAY}' then left(${text}, 10) end`;
}

/** Values of a day. Dates and timestamps are compared as such, so that an index can be used. */
export function onDay(name: string, found: Column | undefined, day: string): FilterCondition {
  const condition = { where: `${dayOf(name, found)} = :p0`, values: [day] };
  if (found === undefined || !isDay(day)) return condition;
  const family = columnFamily(found);
  if (family === "date") return { ...condition, executedWhere: `${name} = :p0` };
  if (family !== "timestamp") return condition;
  const midnight = `cast(:p0 as ${valueType(found)})`;
  return {
    ...condition,
    executedWhere: `(${name} >= ${midnight} and ${name} < ${midnight} + interval '1 day')`,
  };
}

/** True for a day of the calendar, from the year 1 on. */
function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(date.getTime());
  return isDate && !text.startsWith("0000") && date.toISOString().startsWith(text);
}
