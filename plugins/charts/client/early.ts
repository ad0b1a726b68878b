/** Runs before the page is drawn: reserves the place of a chart that the address requests. */
import { choiceFromHash } from "./choice.js";
import { placeAbove, ROWS } from "./place.js";

if (choiceFromHash(location.hash) !== null) {
  const observer = new MutationObserver(() => {
    const rows = document.querySelector(ROWS);
    if (rows === null) return;
    observer.disconnect();
    placeAbove(rows);
  });
  observer.observe(document, { childList: true, subtree: true });
}
