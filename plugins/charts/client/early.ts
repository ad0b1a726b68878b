/** Runs before the page is drawn: reserves the place of a chart that the address requests. */
import { choiceFromHash } from "./choice.js";
import { placeAbove, ROWS } from "./place.js";

const choice = choiceFromHash(location.hash);
if (choice !== null) {
  const observer = new MutationObserver(() => {
    const rows = document.querySelector(ROWS);
    if (rows === null) return;
    observer.disconnect();
    // Without rows there is no chart.
    if (rows.classList.contains("is-empty")) return;
    placeAbove(rows).classList.toggle("is-split", choice.split !== "");
  });
  observer.observe(document, { childList: true, subtree: true });
}
