import { onPage } from "rowhouse/browser";

const STEPS: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/**
 * Lets arrow keys move between the cells of the rows and their headings, from the cell that was clicked. The tab key then
 * needs one stop for the table, and one more for each link and button in the cell with the focus.
 */
export function navigateCells(): void {
  const table = document.querySelector<HTMLTableElement>("body.table table.rows-and-columns");
  if (table?.tBodies[0]?.rows[0]?.cells[0] === undefined) return;
  // Its cells can be focused, so the box that scrolls need not be.
  table.closest(".table-wrapper")?.removeAttribute("tabindex");
  const stop = new CellStop(table);
  onPage("rows-loaded", () => stop.update());
  onPage("cell-changed", () => stop.update());
  table.addEventListener("keydown", (event) => onKey(table, event));
  table.addEventListener("click", onClick);
}

const CONTROLS = ":is(a[href], button, summary, [tabindex])";

/** The cell that the tab key reaches, with the controls in it: the one that had the focus last. */
class CellStop {
  #cell: HTMLTableCellElement | null = null;

  constructor(private readonly table: HTMLTableElement) {
    table.addEventListener("focusin", ({ target }) => {
      const cell = target instanceof Element ? target.closest<HTMLTableCellElement>("td, th") : null;
      if (cell !== null && cell !== this.#cell) this.#moveTo(cell);
    });
  }

  /** After rows were read again, the cell may be gone, and other controls have come. */
  update(): void {
    const isThere = this.#cell !== null && this.table.contains(this.#cell);
    const cell = isThere ? this.#cell : this.table.tBodies[0]?.rows[0]?.cells[0];
    setStops(this.table, -1);
    if (cell) this.#moveTo(cell);
  }

  #moveTo(cell: HTMLTableCellElement): void {
    if (this.#cell !== null && this.#cell !== cell) {
      setStops(this.#cell, -1);
      this.#cell.removeAttribute("tabindex");
    }
    this.#cell = cell;
    setStops(cell, 0);
    if (linkOf(cell) === null) cell.tabIndex = 0;
  }
}

function setStops(element: HTMLElement, tabIndex: 0 | -1): void {
  for (const control of element.querySelectorAll<HTMLElement>(CONTROLS)) control.tabIndex = tabIndex;
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
  if (target.matches("input, textarea, select") || target.closest(".menu-panel, .menu[open]")) return;
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
const linkOf = (cell: HTMLTableCellElement): HTMLElement | null =>
  cell.matches("th, .type-pk") ? cell.querySelector<HTMLElement>("a") : null;

function focusCell(cell: HTMLTableCellElement): void {
  const link = linkOf(cell);
  if (link === null) cell.tabIndex = cell.tabIndex === 0 ? 0 : -1;
  (link ?? cell).focus();
  cell.scrollIntoView({ block: "nearest", inline: "nearest" });
}
