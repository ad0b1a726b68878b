import type { DateStep } from "rowhouse/plugin-api/engine";

/** The lengths of time by which dates can be grouped. */
export const DATE_STEPS: readonly DateStep[] = ["year", "quarter", "month", "week", "day", "hour"];
