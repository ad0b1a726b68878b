/** Runs before the page is drawn: reserves the place of a map that the address requests. */
import { isRequested, placeAbove, ROWS } from "./place.js";

if (isRequested()) {
  const observer = new MutationObserver(() => {
    const rows = document.querySelector(ROWS);
    if (rows === null) return;
    observer.disconnect();
    // Without rows there is no map.
    if (rows.classList.contains("is-empty")) return;
    placeAbove(rows);
  });
  observer.observe(document, { childList: true, subtree: true });
}
