/** Keys that are pressed in a cell before its field is there: they are text for the field, not shortcuts of the page. */
export class EarlyKeys {
  #typed = "";

  constructor(private readonly cell: HTMLTableCellElement) {
    cell.tabIndex = cell.tabIndex === 0 ? 0 : -1;
    cell.focus();
    cell.addEventListener("keydown", this.#onKey);
  }

  /** Stops listening. @returns what was typed */
  end(): string {
    this.cell.removeEventListener("keydown", this.#onKey);
    return this.#typed;
  }

  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.key === "Tab" || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key.length === 1) this.#typed += event.key;
    if (event.key === "Backspace") this.#typed = this.#typed.slice(0, -1);
  };
}
