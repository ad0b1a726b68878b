/** Longer than most servers count. */
const WAIT_MS = 1_500;
const TRIES = 5;

const FIGURES = ".figures[data-counting]";

/** Shows the number of rows when the server has counted them, which takes longer than the first page of a large table. */
export async function awaitCount(): Promise<void> {
  for (let left = TRIES; left > 0 && document.querySelector(FIGURES) !== null; left -= 1) {
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    // Without a connection the page stays as it is.
    const response = await fetch(location.href, { cache: "no-store" }).catch(() => null);
    if (response?.ok !== true) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = page.querySelector(".figures");
    if (fresh === null || fresh.matches(FIGURES)) continue;
    for (const figures of document.querySelectorAll<HTMLElement>(FIGURES)) {
      // A shorter text would move what is beside and below it.
      figures.style.minWidth = `${figures.offsetWidth}px`;
      figures.textContent = fresh.textContent;
      delete figures.dataset["counting"];
    }
  }
}
