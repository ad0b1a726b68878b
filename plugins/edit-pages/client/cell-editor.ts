import { jsonOf, misfit, textOf, type EditedColumn } from "./cell-value.js";
import { readRow, Refused, writeValue, type StoredRow } from "./row-api.js";
import { refreshRow } from "./refresh-row.js";
import { announce } from "./toast.js";

/** A cell that can be edited: its column, and the page of its row. */
interface Place {
  readonly cell: HTMLTableCellElement;
  readonly column: EditedColumn;
  readonly href: string;
}

/** Lets a double click, Enter or F2 edit a cell where it is. */
export function letEditCells(table: HTMLTableElement): void {
  table.classList.add("is-editable");
  const edit = (target: EventTarget | null): boolean => {
    const place = target instanceof Element ? placeOf(table, target.closest("td")) : null;
    if (place === null) return false;
    void open(place);
    return true;
  };
  table.addEventListener("dblclick", ({ target }) => void edit(target));
  table.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "F2") return;
    // Enter on a link follows it.
    if (event.target instanceof HTMLTableCellElement && edit(event.target)) event.preventDefault();
  });
}

/** Null for keys, for rows without a page, and for bytes. */
function placeOf(table: HTMLTableElement, cell: HTMLTableCellElement | null): Place | null {
  const row = cell?.parentElement;
  const link = row?.querySelector<HTMLAnchorElement>("td.type-pk a[href]");
  const heading = cell === null ? undefined : table.tHead?.rows[0]?.cells[cell.cellIndex];
  if (!cell || !link || !heading || cell.matches(".type-pk, .type-bytes, .is-edited")) return null;
  const { column = "", columnType = "", columnNotNull, isPk } = heading.dataset;
  if (isPk === "1") return null;
  return {
    cell,
    href: link.href,
    column: { name: column, type: columnType, notNull: columnNotNull === "1" },
  };
}

async function open(place: Place): Promise<void> {
  place.cell.classList.add("is-edited");
  try {
    const row = await readRow(place.href);
    const text = textOf(row.values[place.column.name]);
    if (text === null) throw new Refused(0, "What is stored here can't be edited in a field.");
    new CellEditor(place, row, text).begin();
  } catch (error) {
    place.cell.classList.remove("is-edited");
    announce(messageOf(error));
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The field in a cell, until it is saved or given up. */
class CellEditor {
  readonly #field: HTMLTextAreaElement | HTMLInputElement;
  readonly #note = document.createElement("p");
  readonly #shown: readonly Node[];
  #isClosed = false;
  /** The text to which a doubt was shown: Enter saves it all the same. */
  #confirmed: string | null = null;

  constructor(
    private readonly place: Place,
    private row: StoredRow,
    private readonly before: string,
  ) {
    const { cell, column } = place;
    this.#field = document.createElement(before.includes("\n") || before.length > 60 ? "textarea" : "input");
    this.#field.value = before;
    this.#field.placeholder = row.values[column.name] === null ? "null" : "";
    this.#field.setAttribute("aria-label", column.name);
    this.#note.className = "cell-note";
    this.#note.id = "cell-note";
    this.#note.setAttribute("role", "alert");
    this.#shown = [...cell.childNodes];
  }

  begin(): void {
    const { cell } = this.place;
    cell.replaceChildren(this.#field, this.#note);
    this.#field.addEventListener("keydown", (event) => this.#onKey(event as KeyboardEvent));
    this.#field.addEventListener("blur", () => void this.#leave());
    this.#field.focus();
    this.#field.select();
  }

  #onKey(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === "Escape") this.#close();
    else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      void this.#save();
    }
  }

  /** A changed value is not lost when something else is clicked, and one that has a note waits for an answer. */
  async #leave(): Promise<void> {
    if (this.#isClosed || this.#note.textContent !== "") return;
    if (this.#field.value === this.before) this.#close(false);
    else await this.#save();
  }

  async #save(): Promise<void> {
    const { column, href } = this.place;
    const text = this.#field.value;
    if (text === this.before && this.#confirmed === null) return this.#close();
    const doubt = misfit(text, column);
    if (doubt !== null && this.#confirmed !== text) return this.#ask(doubt, text);
    try {
      const version = await writeValue(href, {
        column: column.name,
        json: jsonOf(text, column),
        version: this.row.version,
      });
      this.#close();
      await refreshRow(this.place.cell);
      this.#offerUndo(version);
    } catch (error) {
      if (error instanceof Refused && error.status === 412) await this.#askAboutConflict();
      else this.#ask(messageOf(error), null);
    }
  }

  /** Someone else was faster: both values are shown, and Enter replaces theirs. */
  async #askAboutConflict(): Promise<void> {
    this.row = await readRow(this.place.href);
    const theirs = textOf(this.row.values[this.place.column.name]) ?? "bytes";
    const what =
      theirs === this.before ? "Another value of this row has changed" : `The value is now “${theirs}”`;
    this.#ask(
      `${what}. Press Enter again to save “${this.#field.value}”, or Escape to keep the row as it is.`,
      this.#field.value,
    );
  }

  #ask(text: string, confirms: string | null): void {
    this.#confirmed = confirms;
    this.#note.textContent = text;
    this.#field.setAttribute("aria-invalid", "true");
    this.#field.setAttribute("aria-describedby", this.#note.id);
    this.#field.focus();
  }

  #close(takesFocus = true): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { cell } = this.place;
    cell.replaceChildren(...this.#shown);
    cell.classList.remove("is-edited");
    cell.tabIndex = cell.tabIndex === 0 ? 0 : -1;
    if (takesFocus) cell.focus();
  }

  #offerUndo(version: string): void {
    const { column, href, cell } = this.place;
    const value = this.row.values[column.name];
    const json = typeof value === "string" ? jsonOf(value, column) : JSON.stringify(value ?? null);
    const undo = async (): Promise<void> => {
      try {
        await writeValue(href, { column: column.name, json, version });
        await refreshRow(cell);
        announce(`${column.name} is as it was.`);
      } catch (error) {
        const isOld = error instanceof Refused && error.status === 412;
        announce(isOld ? "The row has changed since then. Nothing was undone." : messageOf(error));
      }
    };
    announce(`${column.name} saved.`, () => void undo());
  }
}
