import { barsOf, MAX_BARS } from "./bars.js";
import type { Choice } from "./choice.js";
import { isPartial, type Frame } from "./frame.js";

/** The text above a chart. */
export interface Status {
  readonly text: string;
  /** True if the chart does not show all rows. */
  readonly isWarning: boolean;
}

/** The setting that must change before the chart can be drawn; null if it can be drawn. */
export function missingSetting({ kinds, rows }: Frame, { mark, x, y }: Choice): string | null {
  if (rows.length === 0) return "There are no rows to draw.";
  if (mark === "scatter" && y === "") return "Choose a column for each direction.";
  if (mark === "histogram" && kinds.get(x) === "category")
    return `“${x}” has no numbers or dates to put into bins.`;
  if (mark === "line" && y === "" && kinds.get(x) === "category")
    return "Choose numbers or dates to go across.";
  if (mark === "bar" && y !== "" && kinds.get(y) !== "number") return `“${y}” has no numbers to add up.`;
  return null;
}

export function statusOf(frame: Frame, choice: Choice): Status {
  const bars = choice.mark === "bar" ? barsOf(frame, choice).total : 0;
  const cut = bars > MAX_BARS ? ` The ${MAX_BARS} longest of ${bars.toLocaleString("en")} bars.` : "";
  return { text: countOf(frame, choice) + cut, isWarning: isPartial(frame) };
}

function countOf(frame: Frame, { facet, x }: Choice): string {
  const count = frame.rows.length.toLocaleString("en");
  if (facet !== "")
    return isPartial(frame) ? `The ${count} most frequent values of ${x}.` : `${count} values of ${x}.`;
  if (!isPartial(frame)) return `${count} rows`;
  const among = frame.total === null ? "" : ` of ${frame.total.toLocaleString("en")}`;
  return `Only the first ${count}${among} rows are drawn. Filter the rows to draw all of them.`;
}
