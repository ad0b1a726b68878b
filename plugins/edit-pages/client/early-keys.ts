/** What was pressed in a cell before its field was there. */
export interface EarlyText {
  readonly typed: string;
  /** Where it belongs in the text of the field. It replaces all of it unless a key has moved the caret. */
  readonly place: "all" | "start" | "end";
}

const MOVES: ReadonlyMap<string, EarlyText["place"]> = new Map([
  ["Home", "start"],
  ["ArrowLeft", "start"],
  ["End", "end"],
  ["ArrowRight", "end"],
]);

/** Keys that are pressed in a cell before its field is there: they are text for the field, not shortcuts of the page. */
export class EarlyKeys {
  #typed = "";
  #place: EarlyText["place"] = "all";

  constructor(private readonly cell: HTMLTableCellElement) {
    cell.tabIndex = cell.tabIndex === 0 ? 0 : -1;
    cell.focus();
    cell.addEventListener("keydown", this.#onKey);
  }

  /** Stops listening. */
  end(): EarlyText {
    this.cell.removeEventListener("keydown", this.#onKey);
    return { typed: this.#typed, place: this.#place };
  }

  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.key === "Tab" || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key.length === 1) this.#typed += event.key;
    if (event.key === "Backspace") this.#typed = this.#typed.slice(0, -1);
    if (this.#typed === "") this.#place = MOVES.get(event.key) ?? this.#place;
  };
}
