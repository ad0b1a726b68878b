/** Adds to the values of a row: how long ago dates are, pictures of BLOBs, trees of JSON, and buttons that copy. */
import { copyButton } from "./copy.js";
import { makeTree } from "./json-tree.js";
import { showNeighbours } from "./neighbours.js";
import { showPicture } from "./pictures.js";
import { agoOf } from "./relative-time.js";
import { pageLanguage } from "rowhouse/browser";

for (const cell of document.querySelectorAll<HTMLTableCellElement>("body.row table.record td")) {
  const time = cell.querySelector<HTMLTimeElement>(":scope > time");
  const text = time?.dateTime ?? cell.textContent?.trim() ?? "";
  const ago = agoOf(text, new Date(), pageLanguage());
  if (ago !== null && cell.childElementCount === (time === null ? 0 : 1)) {
    const note = document.createElement("small");
    note.className = "ago";
    note.title = text;
    note.textContent = ago;
    cell.append(" ", note);
  }
  const column = cell.parentElement?.querySelector<HTMLElement>("th[data-column]")?.dataset["column"];
  if (column !== undefined) cell.append(copyButton(column));
}

document.querySelectorAll<HTMLAnchorElement>("body.row .record a.blob-download").forEach(showPicture);
document.querySelectorAll<HTMLElement>("body.row .record pre:is(.json-value, .typed-json)").forEach(makeTree);
void showNeighbours();
