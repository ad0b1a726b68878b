/** Above which element of a page the chart has its place: the first that is there. */
export const ROWS = ".browse, .table-wrapper";

/**
 * The place of the chart above the rows, made when it is not there yet. Its size is in the style sheet and the same
 * with and without a chart, so that the rows do not move when the chart comes.
 */
export function placeAbove(rows: Element): HTMLElement {
  const there = document.querySelector<HTMLElement>("section.chart");
  if (there !== null) return there;
  const place = document.createElement("section");
  place.className = "chart panel";
  place.setAttribute("aria-label", "Chart");
  rows.before(place);
  return place;
}
