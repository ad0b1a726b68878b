/** Adds a map to pages whose rows have coordinates, and shows it if the address requests it. */
import { addToSlot, loadPart } from "rowhouse/browser";
import { coordinateColumns, type Coordinates } from "./coordinates.js";
import type { MapPanel } from "./map-panel.js";
import { isRequested, ROWS } from "./place.js";
import { t } from "./first-texts.js";

const headings = [...document.querySelectorAll<HTMLElement>("thead th[data-column]")];
const names = headings.map((heading) => heading.dataset["column"] ?? "");
const coordinates = coordinateColumns(names);
const dataLink = document.querySelector<HTMLAnchorElement>('.data-links a[href*=".json"]');
const rows = document.querySelector(ROWS);
let panel: Promise<MapPanel> | null = null;

if (coordinates !== null && dataLink && rows) {
  const source: Source = { address: dataLink.href, coordinates };
  addToSlot("panel", {
    name: "map",
    title: t("script.map.title"),
    isRequested,
    show: (place) => show(source, place),
    hide: () => void panel?.then((shown) => shown.hide()),
  });
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
  place.setAttribute("aria-label", t("script.map.title"));
  panel ??= loadPart(() => import("./map-panel.js")).then((part) => new part.MapPanel(source, place));
  try {
    await (await panel).show();
  } catch (error) {
    panel = null;
    place.hidden = true;
    throw error;
  }
}
