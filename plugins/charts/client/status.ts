import type { Choice } from "./choice.js";
import type { Drawing } from "./draw-one.js";
import { isPartial, type Frame } from "./frame.js";
import { MAX_CHARTS, placeOf } from "./grouped.js";
import { chartsOf } from "./splits.js";

/** The text above a chart. */
export interface Status {
  readonly text: string;
  /** True if the chart leaves something out. */
  readonly isWarning: boolean;
}

/** The setting that must change before the chart can be drawn; null if it can be drawn. */
export function missingSetting({ kinds, rows }: Frame, { mark, x, y, agg }: Choice): string | null {
  if (rows.length === 0) return "There are no rows to draw.";
  if (mark === "scatter" && y === "") return "Choose a column for each direction.";
  if (mark === "histogram" && kinds.get(x) === "category")
    return `“${x}” has no numbers or dates to put into bins.`;
  if (mark === "line" && (y === "" || agg !== "") && kinds.get(x) === "category")
    return "Choose numbers or dates to go across.";
  if ((mark === "bar" || mark === "line") && y !== "" && agg !== "distinct" && kinds.get(y) !== "number")
    return `“${y}” has no numbers to add up.`;
  return null;
}

export function statusOf(drawing: Drawing): Status {
  const notes = [cutCharts(drawing), cutBars(drawing), outsideOfAxis(drawing)].filter((note) => note !== "");
  const isOfSome = isOfSomeRows(drawing);
  return {
    text: [countOf(drawing, isOfSome).replace(/(?<!\.)$/, notes.length > 0 ? "." : ""), ...notes].join(" "),
    isWarning: isOfSome || notes.length > 0,
  };
}

function isOfSomeRows({ frame, grouped, choice }: Drawing): boolean {
  if (choice.facet !== "" || grouped === null) return isPartial(frame);
  return grouped.isOfSomeRows;
}

/** Values without a chart of their own. */
function cutCharts(drawing: Drawing): string {
  const charts = chartsOf(drawing);
  if (charts === null || charts.shown.length < MAX_CHARTS || charts.total === charts.shown.length) return "";
  const all = charts.total === null ? "" : ` of ${count(charts.total)}`;
  return `The ${count(charts.shown.length)} most frequent${all} values of ${drawing.choice.split} have a chart.`;
}

function cutBars({ grouped, choice, frame }: Drawing): string {
  if (grouped === null || choice.facet !== "") return "";
  const shown = new Set(grouped.measured.map(({ x }) => JSON.stringify(x))).size;
  if (grouped.total === null) return `Only ${count(shown)} values of ${choice.x} are drawn.`;
  if (shown >= grouped.total || shown === 0) return "";
  const what = choice.mark === "bar" ? "bars" : `values of ${choice.x}`;
  const which = choice.mark === "bar" ? "longest" : "first";
  return isOfSomeRows({ frame, grouped, choice }) && choice.mark !== "bar"
    ? ""
    : `The ${count(shown)} ${which} of ${count(grouped.total)} ${what}.`;
}

/** Rows whose value has no place on an axis of numbers or dates. */
function outsideOfAxis({ grouped, choice, frame }: Drawing): string {
  if (grouped === null || choice.mark === "bar") return "";
  const without = grouped.measured.filter(({ x }) => placeOf(x, grouped.step) === null);
  if (without.length === 0) return "";
  const kind = frame.kinds.get(choice.x) === "date" ? "date" : "number";
  if (choice.y !== "") return `Rows without a ${kind} in ${choice.x} are left out.`;
  const rows = without.reduce((sum, { value }) => sum + (value ?? 0), 0);
  return `${count(rows)} ${rows === 1 ? "row has" : "rows have"} no ${kind} in ${choice.x}.`;
}

const count = (value: number): string => value.toLocaleString("en");

function countOf({ frame, grouped, choice }: Drawing, isOfSome: boolean): string {
  const rows = count(frame.rows.length);
  if (choice.facet !== "")
    return isPartial(frame)
      ? `The ${rows} most frequent values of ${choice.x}.`
      : `${rows} values of ${choice.x}.`;
  if (!isOfSome) return frame.total === null ? "All rows" : `${count(frame.total)} rows`;
  if (grouped !== null && !isPartial(frame)) return `Only a part of the ${rows} rows is drawn.`;
  const among = frame.total === null ? "" : ` of ${count(frame.total)}`;
  return `Only the first ${rows}${among} rows are drawn. Filter the rows to draw all of them.`;
}
