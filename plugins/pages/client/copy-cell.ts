/** Lets Ctrl+C copy the value of the cell with the focus if nothing is selected. */
export function copyFocusedCell(): void {
  document.addEventListener("copy", (event) => {
    const { activeElement } = document;
    const cell = activeElement?.closest<HTMLTableCellElement>("body.table .rows-and-columns tbody td");
    if (!cell || activeElement?.matches("input, textarea, select") === true) return;
    if (getSelection()?.isCollapsed === false) return;
    event.clipboardData?.setData("text/plain", valueOf(cell));
    event.preventDefault();
  });
}

/**
 * The value as it is stored, as far as the page has it: numbers and times as their title, the value of a foreign key
 * instead of its label, addresses in full. NULL is empty. A text that the page cuts ends with `…`.
 */
function valueOf(cell: HTMLTableCellElement): string {
  const stored = cell.querySelector<HTMLElement>(":scope > :is(span, time)[title]")?.title;
  const key = cell.querySelector(":scope > em:last-child")?.textContent;
  const address = cell.querySelector(":scope.type-str > a:only-child[href*='://']")?.getAttribute("href");
  const text = key ?? stored ?? address ?? (cell.querySelector(":scope.type-pk > a") ?? cell).textContent;
  return text === "\u00a0" ? "" : text;
}
