import { shortText } from "rowhouse/browser";
import type { Value } from "./frame.js";
import { placeOf } from "./grouped.js";
import { isDateStep } from "./steps.js";
import { t } from "./texts.js";

/** A value as text. Dates without a time are shown as days. */
export function nameOf(value: Value | undefined): string {
  if (value === null || value === undefined) return "(null)";
  if (value === "") return t("script.chart.blank");
  if (!(value instanceof Date)) return String(value);
  const text = value.toISOString();
  return text.endsWith("T00:00:00.000Z") ? text.slice(0, 10) : text.slice(0, 19).replace("T", " ");
}

/** The name of a bar: `10 to 20` for an interval. */
export function barName(x: Value, step: string): string {
  const place = step === "each" || isDateStep(step) ? null : placeOf(x, step);
  return place === null
    ? nameOf(x)
    : t("script.chart.from_to", { from: String(place.start), to: String(place.end) });
}

const LONGEST_LABEL = 28;

/** A name, truncated to the available space. */
export const shortName = (name: string): string => shortText(name, LONGEST_LABEL);
