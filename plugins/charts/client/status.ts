import type { Choice } from "./choice.js";
import type { Drawing } from "./draw-one.js";
import { isPartial, type Frame } from "./frame.js";
import { MAX_CHARTS, placeOf } from "./grouped.js";
import { chartsOf } from "./splits.js";
import { t } from "./texts.js";

/** The text above a chart. */
export interface Status {
  readonly text: string;
  /** True if the chart leaves something out. */
  readonly isWarning: boolean;
}

/** The setting that must change before the chart can be drawn; null if it can be drawn. */
export function missingSetting({ kinds, rows }: Frame, { mark, x, y, agg }: Choice): string | null {
  if (rows.length === 0) return t("script.chart.no_rows");
  if (mark === "scatter" && y === "") return t("script.chart.choose_both");
  if (mark === "histogram" && kinds.get(x) === "category") return t("script.chart.no_bins", { column: x });
  if (mark === "line" && (y === "" || agg !== "") && kinds.get(x) === "category")
    return t("script.chart.choose_across");
  if ((mark === "bar" || mark === "line") && y !== "" && agg !== "distinct" && kinds.get(y) !== "number")
    return t("script.chart.no_numbers", { column: y });
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
  const values = { count: charts.shown.length, column: drawing.choice.split };
  return charts.total === null
    ? t("script.chart.cut_charts", values)
    : t("script.chart.cut_charts_of", { ...values, total: charts.total });
}

function cutBars({ grouped, choice, frame }: Drawing): string {
  if (grouped === null || choice.facet !== "") return "";
  const shown = new Set(grouped.measured.map(({ x }) => JSON.stringify(x))).size;
  if (grouped.total === null) return t("script.chart.only_values", { count: shown, column: choice.x });
  if (shown >= grouped.total || shown === 0) return "";
  const { total } = grouped;
  if (choice.mark === "bar") return t("script.chart.longest_bars", { count: shown, total });
  return isOfSomeRows({ frame, grouped, choice })
    ? ""
    : t("script.chart.first_values", { count: shown, total, column: choice.x });
}

/** Rows whose value has no place on an axis of numbers or dates. */
function outsideOfAxis({ grouped, choice, frame }: Drawing): string {
  if (grouped === null || choice.mark === "bar") return "";
  const without = grouped.measured.filter(({ x }) => placeOf(x, grouped.step) === null);
  if (without.length === 0) return "";
  const kind = frame.kinds.get(choice.x) === "date" ? "date" : "number";
  if (choice.y !== "") return t(`script.chart.without_${kind}`, { column: choice.x });
  const rows = without.reduce((sum, { value }) => sum + (value ?? 0), 0);
  return t(`script.chart.no_${kind}`, { count: rows, column: choice.x });
}

function countOf({ frame, grouped, choice }: Drawing, isOfSome: boolean): string {
  const count = frame.rows.length;
  const { total } = frame;
  if (choice.facet !== "")
    return isPartial(frame)
      ? t("script.chart.frequent_values", { count, column: choice.x })
      : t("script.chart.values_count", { count, column: choice.x });
  if (!isOfSome)
    return total === null ? t("script.chart.all_rows") : t("script.chart.rows_count", { count: total });
  if (grouped !== null && !isPartial(frame)) return t("script.chart.part_of_rows", { count });
  return total === null ? t("script.chart.first", { count }) : t("script.chart.first_of", { count, total });
}
