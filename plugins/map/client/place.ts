/** Above which element of a page the map has its place: the first that is there. */
export const ROWS = ".browse, .table-wrapper";

export const isAskedFor = (): boolean => location.hash === "#map";

/**
 * The place of the map above the rows, made when it is not there yet. Its size is in the style sheet and the same
 * with and without a map, so that the rows do not move when the map comes.
 */
export function placeAbove(rows: Element): HTMLElement {
  const there = document.querySelector<HTMLElement>("section.map");
  if (there !== null) return there;
  const place = document.createElement("section");
  place.className = "map panel";
  place.setAttribute("aria-label", "Map");
  rows.before(place);
  return place;
}
