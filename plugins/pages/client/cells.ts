const STEPS: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/**
 * Lets arrow keys move between the cells of the rows and their headings, from the cell that was clicked. The tab key then
 * reaches the first row without a stop at each heading.
 */
export function navigateCells(): void {
  const table = document.querySelector<HTMLTableElement>("body.table table.rows-and-columns");
  const [first] = table?.tBodies[0]?.rows[0]?.cells ?? [];
  if (!table || first === undefined) return;
  for (const part of table.querySelectorAll<HTMLElement>("thead :is(a, summary)")) part.tabIndex = -1;
  // Its cells can be focused, so the box that scrolls need not be.
  table.closest(".table-wrapper")?.removeAttribute("tabindex");
  if (first.querySelector("a") === null) first.tabIndex = 0;
  table.addEventListener("keydown", (event) => onKey(table, event));
  table.addEventListener("click", onClick);
}

/** Keys, and what is pasted, are for the cell that was clicked. A folded text and controls take the focus themselves. */
function onClick({ target }: MouseEvent): void {
  const cell = target instanceof Element ? target.closest<HTMLTableCellElement>("td") : null;
  const isFocusedWithin = cell?.contains(document.activeElement) === true;
  if (cell === null || isFocusedWithin || getSelection()?.isCollapsed === false) return;
  if (target instanceof Element && target.closest("a, button, input, label, summary") === null)
    focusCell(cell);
}

function onKey(table: HTMLTableElement, event: KeyboardEvent): void {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !(target instanceof HTMLElement))
    return;
  if (target.matches("input, textarea, select") || target.closest(".menu-panel")) return;
  const cell = target.closest<HTMLTableCellElement>("td, th");
  const row = cell?.parentElement as HTMLTableRowElement | null;
  if (!cell || !row) return;
  const next = cellFrom(table, { row: row.rowIndex, column: cell.cellIndex }, key);
  if (next === null) return;
  event.preventDefault();
  focusCell(next);
}

function cellFrom(
  { rows }: HTMLTableElement,
  { row, column }: { readonly row: number; readonly column: number },
  key: string,
): HTMLTableCellElement | null {
  const cells = rows[row]?.cells;
  if (key === "Home") return cells?.[0] ?? null;
  if (key === "End") return cells?.[cells.length - 1] ?? null;
  const step = STEPS[key];
  return step === undefined ? null : (rows[row + step[0]]?.cells[column + step[1] * columnSign()] ?? null);
}

/** In languages that are written from right to left, the next column is on the left. */
const columnSign = (): 1 | -1 => (document.dir === "rtl" ? -1 : 1);

/** A key and a heading are links. In other cells, Enter is for the value. */
function focusCell(cell: HTMLTableCellElement): void {
  const link = cell.matches("th, .type-pk") ? cell.querySelector<HTMLElement>("a") : null;
  if (link === null) cell.tabIndex = cell.tabIndex === 0 ? 0 : -1;
  (link ?? cell).focus();
  cell.scrollIntoView({ block: "nearest", inline: "nearest" });
}
