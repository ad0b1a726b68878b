/** Adds to the values of a row: how long ago dates are, pictures of BLOBs, trees of JSON, and buttons that copy. */
import { copyButton } from "./copy.js";
import { makeTree } from "./json-tree.js";
import { showNeighbours } from "./neighbours.js";
import { agoOf } from "./relative-time.js";
import { element, pageLanguage } from "rowhouse/browser";

/** Larger pictures are not loaded for the page. */
const MOST_PICTURE_BYTES = 5_000_000;

for (const cell of document.querySelectorAll<HTMLTableCellElement>("body.row table.record td")) {
  const time = cell.querySelector<HTMLTimeElement>(":scope > time");
  const text = time?.dateTime ?? cell.textContent?.trim() ?? "";
  const ago = agoOf(text, new Date(), pageLanguage());
  if (ago !== null && cell.childElementCount === (time === null ? 0 : 1)) {
    cell.append(" ", element("small", { class: "ago", title: text }, ago));
  }
  const column = cell.parentElement?.querySelector<HTMLElement>("th[data-column]")?.dataset["column"];
  if (column !== undefined) cell.append(copyButton(column));
}

document.querySelectorAll<HTMLAnchorElement>("body.row .record a.blob-download").forEach(showPicture);
document.querySelectorAll<HTMLElement>("body.row .record pre:is(.json-value, .typed-json)").forEach(makeTree);
void showNeighbours();

/** Shows the picture that a BLOB contains, below its link. Whether it is one, the browser finds out. */
function showPicture(link: HTMLAnchorElement): void {
  if (Number(link.dataset["size"]) > MOST_PICTURE_BYTES) return;
  // The link beside it says what it is.
  const image = element("img", { class: "picture", alt: "" });
  image.addEventListener("load", () => link.after(image));
  image.src = link.href;
}
