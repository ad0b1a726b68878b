import { tildeEncode } from "rowhouse/plugin-api/http";
import type { SavedView } from "../store.js";

/** Arguments of a page of rows that mean nothing for groups. */
const OF_ROWS = /^_(?:sort|sort_desc|order|size|col|nocol|facet|facet_array|facet_date|next)$/;
const DATE_STEPS = new Set(["year", "quarter", "month", "week", "day", "hour"]);

/** True if a view has a chart. */
export const hasChart = ({ fragment }: Pick<SavedView, "fragment">): boolean =>
  new URLSearchParams(fragment).has("chart");

/**
 * The query of the page of groups with the values of a chart, for readers without scripts; null for charts that draw
 * rows, and those whose steps only the script knows.
 */
export function groupsQuery({ query, fragment }: Pick<SavedView, "query" | "fragment">): string | null {
  const chart = new URLSearchParams(fragment);
  const text = (name: string): string => chart.get(name) ?? "";
  const mark = text("chart");
  const x = text("x");
  const y = text("y");
  const agg = text("agg");
  if (x === "" || chart.has("facet")) return null;
  const isGrouped = mark === "bar" || (mark === "line" && (y === "" || agg !== ""));
  if (!isGrouped) return null;
  const groups = [
    groupOf(x, text("step")),
    ...["split", "color"]
      .map(text)
      .filter((name) => name !== "" && name !== x)
      .map(tildeEncode),
  ];
  const kept = query.split("&").filter((part) => part !== "" && !OF_ROWS.test(part.split("=", 1)[0] ?? ""));
  const measure = measureOf(y, agg);
  return [
    ...kept,
    `_group=${encodeURIComponent([...new Set(groups)].join())}`,
    `_agg=${encodeURIComponent(measure)}`,
  ].join("&");
}

function groupOf(x: string, step: string): string {
  const column = tildeEncode(x);
  if (step === "" || step === "each") return column;
  return called(DATE_STEPS.has(step) ? "date" : "interval", `${column},${step}`);
}

function measureOf(y: string, agg: string): string {
  if (y === "") return "count";
  const column = tildeEncode(y);
  return agg === "distinct" ? called("count", `distinct ${column}`) : called(agg || "sum", column);
}

/** A function of the argument `_group` or `_agg`. */
const called = (name: string, inside: string): string => `${name}(${inside})`;
