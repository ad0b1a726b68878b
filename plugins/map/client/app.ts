/** Offers a map on pages whose rows have coordinates. */
import { coordinateColumns } from "./coordinates.js";

const headings = [...document.querySelectorAll<HTMLElement>("thead th[data-column]")];
const names = headings.map((heading) => heading.dataset["column"] ?? "");
const coordinates = coordinateColumns(names);
const dataLink = document.querySelector<HTMLAnchorElement>('.data-links a[href*=".json"]');
const rows = document.querySelector<HTMLElement>(".table-wrapper");

if (coordinates !== null && dataLink && rows) {
  const open = async (): Promise<void> => {
    const { showMap } = await import("./map-panel.js");
    await showMap({ address: dataLink.href, rows, coordinates });
  };
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet map-button";
  button.textContent = "Map";
  button.addEventListener("click", () => void open());
  dataLink.closest(".data-links")?.append(button);
  if (location.hash === "#map") void open();
}
