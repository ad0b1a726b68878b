/** The element above which the map is shown: the first that exists. */
export const ROWS = ".browse, .table-wrapper";

export const isRequested = (): boolean => new URLSearchParams(location.hash.slice(1)).has("map");

/**
 * The element of the map above the rows, created if it does not exist. The style sheet gives it the same size with
 * and without a map, so that the rows do not move later.
 */
export function placeAbove(rows: Element): HTMLElement {
  const there = document.querySelector<HTMLElement>("section.map");
  if (there !== null) return there;
  const place = document.createElement("section");
  place.className = "map panel";
  rows.before(place);
  return place;
}
