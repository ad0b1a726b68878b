/** The element above which the chart is shown: the first that exists. */
export const ROWS = ".browse, .table-wrapper";

/**
 * The element of the chart above the rows, created if it does not exist. The style sheet gives it the same size with
 * and without a chart, so that the rows do not move later.
 */
export function placeAbove(rows: Element): HTMLElement {
  const there = document.querySelector<HTMLElement>("section.chart");
  if (there !== null) return there;
  const place = document.createElement("section");
  place.className = "chart panel";
  rows.before(place);
  return place;
}
