import type { ColumnType } from "rowhouse/plugin-api/contracts";

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
const CLOCK = /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$/;

/** True for a day of the calendar. */
function isDay(text: string): boolean {
  const [, year = "", month = "", day = ""] = DAY.exec(text) ?? [];
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  // Some parsers turn 30 February into a day in March.
  return !Number.isNaN(date.valueOf()) && date.toISOString().startsWith(text);
}

function isMoment(text: string): boolean {
  const [day = "", clock = "", ...more] = text.split(/[T ]/);
  return more.length === 0 && isDay(day) && CLOCK.test(clock);
}

const trimmed: ColumnType["transform"] = (value) => (typeof value === "string" ? value.trim() : value);

/** A day in the form of SQLite's date functions. */
export const date: ColumnType = {
  name: "date",
  description: "A day: 2026-11-21",
  transform: trimmed,
  validate: (value) => (typeof value === "string" && isDay(value) ? null : "not a day such as 2026-11-21"),
};

/** A day and a time in the form of SQLite's date functions. */
export const datetime: ColumnType = {
  name: "datetime",
  description: "A day and a time: 2026-11-21 15:30, with seconds and Z or +01:00 where they are known",
  transform: trimmed,
  validate: (value) =>
    typeof value === "string" && isMoment(value) ? null : "not a time such as 2026-11-21T15:30:00Z",
};
