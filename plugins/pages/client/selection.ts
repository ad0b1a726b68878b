import {
  button,
  contributionsTo,
  element,
  firePageEvent,
  keyOf,
  onPage,
  onSlotChange,
  rowAt,
  rowsOf,
  rowsTable,
  type RowPlace,
} from "rowhouse/browser";
import { attempt } from "./menu-entry.js";
import { t } from "./texts.js";

/** Gives rows check boxes as soon as a plugin has an action for selected rows. */
export function letRowsBeSelected(): void {
  const table = rowsTable();
  let selection: Selection | null = null;
  if (table)
    onSlotChange("selection", () => {
      selection ??= new Selection(table);
      selection.showActions();
    });
}

class Selection {
  readonly #all = checkBox(t("script.select_all"));
  readonly #count = element("span", { role: "status" });
  readonly #actions = element("span", { class: "buttons" });
  readonly #bar = element(
    "div",
    { class: "selection-bar", role: "toolbar", "aria-label": t("script.selected_rows"), hidden: true },
    this.#count,
    this.#actions,
    button(t("script.select_none"), () => this.#select(this.#boxes(), false), { class: "quiet" }),
  );
  /** The addresses of the selected rows, which stay selected when the rows are read again. */
  #selected: ReadonlySet<string | null> = new Set();
  /** The row from which Shift selects. */
  #anchor = -1;

  constructor(private readonly table: HTMLTableElement) {
    table.classList.add("has-check-boxes");
    // Reached by the space key of the heading.
    this.#all.tabIndex = -1;
    table.tHead?.rows[0]?.cells[0]?.prepend(this.#all);
    this.#all.addEventListener("change", () => this.#select(this.#boxes(), this.#all.checked));
    onPage("rows-loaded", () => this.#addBoxes());
    table.addEventListener("click", (event) => this.#onClick(event));
    table.addEventListener("keydown", (event) => this.#onKey(event));
    table.closest(".table-wrapper")?.after(this.#bar);
  }

  showActions(): void {
    const buttons = contributionsTo("selection").map(({ label, isDangerous, run }) =>
      button(label, () => void attempt(() => run(this.#rows())), {
        class: isDangerous === true ? "danger" : "quiet",
      }),
    );
    this.#actions.replaceChildren(...buttons);
  }

  #addBoxes(): void {
    for (const row of rowsOf(this.table)) {
      if (row.href === null || row.element.querySelector(".row-check")) continue;
      const box = checkBox(t("script.select_row", { key: keyOf(row)?.join(", ") ?? "" }));
      // Reached by the space key of any cell, so that the tab key has no stop at each row.
      box.tabIndex = -1;
      box.checked = this.#selected.has(row.href);
      row.element.querySelector("td.type-pk")?.prepend(box);
    }
    this.#report();
  }

  #boxes(): readonly HTMLInputElement[] {
    return [...(this.table.tBodies[0]?.querySelectorAll<HTMLInputElement>(".row-check") ?? [])];
  }

  #rows(): readonly RowPlace[] {
    return this.#boxes().flatMap((box) => {
      const row = box.checked ? rowAt(box) : null;
      return row === null ? [] : [row];
    });
  }

  #onClick({ target, shiftKey }: MouseEvent): void {
    const boxes = this.#boxes();
    const at = boxes.indexOf(target as HTMLInputElement);
    if (at !== -1) this.#take(boxes, at, shiftKey);
  }

  /** The box itself has changed already. With Shift, the boxes between it and the last one follow. */
  #take(boxes: readonly HTMLInputElement[], at: number, isRange: boolean): void {
    const from = isRange && this.#anchor !== -1 ? this.#anchor : at;
    this.#anchor = at;
    this.#select(boxes.slice(Math.min(from, at), Math.max(from, at) + 1), boxes[at]?.checked === true);
  }

  #onKey(event: KeyboardEvent): void {
    const { target } = event;
    const isInCell = target instanceof HTMLElement && target.matches("td, td.type-pk > a");
    if (event.key !== " " || event.ctrlKey || event.altKey || event.metaKey) return;
    const boxes = this.#boxes();
    if (target instanceof HTMLElement && target.matches("thead th:first-child > a")) {
      event.preventDefault();
      return this.#select(boxes, !this.#all.checked);
    }
    if (!isInCell) return;
    const box = rowAt(target)?.element.querySelector<HTMLInputElement>(".row-check");
    if (!box) return;
    event.preventDefault();
    box.checked = !box.checked;
    this.#take(boxes, boxes.indexOf(box), event.shiftKey);
  }

  #select(boxes: readonly HTMLInputElement[], isChecked: boolean): void {
    for (const box of boxes) box.checked = isChecked;
    this.#report();
  }

  #report(): void {
    const boxes = this.#boxes();
    const rows = this.#rows();
    for (const box of boxes) box.closest("tr")?.classList.toggle("is-selected", box.checked);
    this.#all.checked = rows.length > 0 && rows.length === boxes.length;
    this.#all.indeterminate = rows.length > 0 && rows.length < boxes.length;
    this.#bar.hidden = rows.length === 0;
    this.#count.textContent = t("script.selected", { count: rows.length });
    this.#selected = new Set(rows.map(({ href }) => href));
    firePageEvent("selection-changed", { rows });
  }
}

/** Without `autocomplete`, browsers would restore the boxes of an earlier visit. */
const checkBox = (label: string): HTMLInputElement =>
  element("input", { type: "checkbox", class: "row-check", "aria-label": label, autocomplete: "off" });
