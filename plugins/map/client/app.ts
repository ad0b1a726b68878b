/** Adds a map to pages whose rows have coordinates, and shows it if the address requests it. */
import { coordinateColumns, type Coordinates } from "./coordinates.js";
import type { MapPanel } from "./map-panel.js";
import { isRequested, placeAbove, ROWS } from "./place.js";

const headings = [...document.querySelectorAll<HTMLElement>("thead th[data-column]")];
const names = headings.map((heading) => heading.dataset["column"] ?? "");
const coordinates = coordinateColumns(names);
const dataLink = document.querySelector<HTMLAnchorElement>('.data-links a[href*=".json"]');
const rows = document.querySelector(ROWS);
let panel: Promise<MapPanel> | null = null;

if (coordinates !== null && dataLink && rows) {
  const open = (): void => void show({ address: dataLink.href, coordinates }, placeAbove(rows));
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet map-button";
  button.textContent = "Map";
  button.addEventListener("click", open);
  (document.querySelector("[data-toolbar]") ?? dataLink.closest(".data-links"))?.append(button);
  const follow = (): void => {
    if (isRequested()) open();
    // A link to a part of the page, such as `#export`, does not close the map.
    else if (document.querySelector(":target") === null) void panel?.then((shown) => shown.hide());
  };
  addEventListener("hashchange", follow);
  follow();
} else {
  document.querySelector("section.map")?.remove();
}

interface Source {
  readonly address: string;
  readonly coordinates: Coordinates;
}

/** The outlines of the continents are larger than the page, so they are loaded with the first map. */
async function show(source: Source, place: HTMLElement): Promise<void> {
  place.hidden = false;
  panel ??= import("./map-panel.js").then((module) => new module.MapPanel(source, place));
  await (await panel).show();
}
