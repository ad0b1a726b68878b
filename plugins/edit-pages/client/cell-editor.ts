import { announce, keyOf, refreshRow, rowAt, WriteRefused, writeRows, type RowPlace } from "rowhouse/browser";
import { cellField, type CellField } from "./cell-field.js";
import { misfit, textOf, valueOf } from "./cell-value.js";
import { EarlyKeys, type EarlyText } from "./early-keys.js";
import type { EditedColumn, EditedTable } from "./edited-table.js";
import { missingReference } from "./reference-check.js";
import { readRow, type StoredRow } from "./stored-row.js";
import { messageOf, showChange } from "./undo.js";
import { t } from "./texts.js";

/** A cell that can be edited. */
interface Place {
  readonly cell: HTMLTableCellElement;
  readonly column: EditedColumn;
  readonly row: RowPlace;
  readonly href: string;
}

/** Lets a double click, Enter or F2 edit a cell where it is. */
export function letEditCells(table: HTMLTableElement, edited: EditedTable): void {
  table.classList.add("is-editable");
  const edit = (target: EventTarget | null): boolean => {
    const place = target instanceof Element ? placeOf(table, edited, target.closest("td")) : null;
    if (place === null) return false;
    void open(place);
    return true;
  };
  table.addEventListener("dblclick", ({ target }) => void edit(target));
  followLinksLater(table, (link) => placeOf(table, edited, link.closest("td")) !== null);
  table.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "F2") return;
    // Enter on a link follows it.
    if (event.target instanceof HTMLTableCellElement && edit(event.target)) event.preventDefault();
  });
}

/** A second click within this time edits the cell of a link. */
const DOUBLE_CLICK_MS = 250;

/** Waits before a click with the mouse leaves the page, so that a double click can edit the cell. */
function followLinksLater(table: HTMLTableElement, isInEditedCell: (link: Element) => boolean): void {
  let following = 0;
  table.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const isByMouse = event.detail > 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (link === null || !isByMouse || event.defaultPrevented || !isInEditedCell(link)) return;
    event.preventDefault();
    clearTimeout(following);
    if (event.detail === 1) following = setTimeout(() => location.assign(link.href), DOUBLE_CLICK_MS);
  });
}

/** Null for keys, for rows without a page, and for bytes. */
function placeOf(
  table: HTMLTableElement,
  { columns }: EditedTable,
  cell: HTMLTableCellElement | null,
): Place | null {
  const row = rowAt(cell);
  if (!cell || !row?.href || cell.matches(".type-pk, .type-bytes, .is-edited")) return null;
  const heading = table.tHead?.rows[0]?.cells[cell.cellIndex];
  const column = columns.find(({ name }) => name === heading?.dataset["column"]);
  if (!column || heading?.dataset["isPk"] === "1") return null;
  return { cell, column, row, href: row.href };
}

/** The save that is underway. A cell opens after it: the row has another version then. */
let saving: Promise<void> = Promise.resolve();

async function open(place: Place): Promise<void> {
  place.cell.classList.add("is-edited");
  const keys = new EarlyKeys(place.cell);
  try {
    await saving;
    const row = await readRow(place.href);
    const text = textOf(row.values[place.column.name]);
    if (text === null) throw new WriteRefused(0, [t("script.cannot_edit")]);
    new CellEditor(place, row, text).begin(keys.end());
  } catch (error) {
    keys.end();
    place.cell.classList.remove("is-edited");
    announce(messageOf(error));
  }
}

const HAS_CHANGED = 412;

const hasMixedBreaks = (text: string): boolean => text.includes("\r\n") && /(?<!\r)\n/.test(text);

/** The field in a cell, until it is saved or given up. */
class CellEditor {
  readonly #field: CellField["input"];
  readonly #element: HTMLElement;
  readonly #note = document.createElement("p");
  readonly #shown: readonly Node[];
  /** The text as the field shows it, with LF for each line break. */
  readonly #opened: string;
  #isClosed = false;
  #isSaving = false;
  /** The text to which a doubt was shown: Enter saves it all the same. */
  #confirmed: string | null = null;

  constructor(
    private readonly place: Place,
    private row: StoredRow,
    private readonly before: string,
  ) {
    const { cell, column } = place;
    const { element, input } = cellField(column, before);
    this.#element = element;
    this.#field = input;
    this.#opened = before.replaceAll("\r\n", "\n");
    // A field changes other line breaks, and shows no difference between two kinds of them.
    if (input.value !== this.#opened || hasMixedBreaks(before))
      throw new WriteRefused(0, [t("script.cannot_edit")]);
    if (!(input instanceof HTMLSelectElement))
      input.placeholder = row.values[column.name] === null ? "null" : "";
    this.#note.className = "cell-note";
    this.#note.id = "cell-note";
    this.#note.setAttribute("role", "alert");
    this.#shown = [...cell.childNodes];
  }

  begin({ typed, place }: EarlyText): void {
    const { cell } = this.place;
    cell.replaceChildren(this.#element, this.#note);
    this.#field.addEventListener("keydown", (event) => this.#onKey(event as KeyboardEvent));
    this.#field.addEventListener("blur", () => this.#leave());
    addEventListener("beforeunload", this.#askBeforeLoss);
    this.#field.focus();
    if (this.#field instanceof HTMLSelectElement) return;
    const { length } = this.#field.value;
    const [from, to] = { all: [0, length], start: [0, 0], end: [length, length] }[place] as [number, number];
    this.#field.setSelectionRange(from, to);
    if (typed !== "") this.#field.setRangeText(typed, from, to, "end");
  }

  /** The browser asks whether the page is left, so that a changed value is not lost. */
  readonly #askBeforeLoss = (event: BeforeUnloadEvent): void => {
    if (this.#field.value !== this.#opened) event.preventDefault();
  };

  #onKey(event: KeyboardEvent): void {
    event.stopPropagation();
    // What is typed while the value is sent would not be saved.
    if (this.#isSaving) return event.preventDefault();
    // The list of matches takes its keys first.
    if (event.defaultPrevented) return;
    if (event.key === "Escape") this.#close();
    else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      this.#save();
    }
  }

  /** A changed value is not lost when something else is clicked, and one that has a note waits for an answer. */
  #leave(): void {
    if (this.#isClosed || this.#note.textContent !== "") return;
    if (this.#field.value === this.#opened) this.#close(false);
    else this.#save();
  }

  #save(): void {
    if (this.#isSaving) return;
    this.#isSaving = true;
    saving = this.#write()
      .catch((error: unknown) => {
        if (!(error instanceof WriteRefused) || error.status !== HAS_CHANGED) throw error;
        return this.#askAboutConflict();
      })
      .catch((error: unknown) => this.#ask(messageOf(error), null))
      .finally(() => (this.#isSaving = false));
  }

  async #write(): Promise<void> {
    const { cell, column, row } = this.place;
    const text = this.#field.value;
    if (text === this.#opened && this.#confirmed === null) return this.#close();
    const isConfirmed = this.#confirmed === text;
    const doubt = isConfirmed ? null : (misfit(text, column) ?? (await missingReference(text, column)));
    if (doubt !== null) return this.#ask(t("script.press_enter", { doubt }), text);
    const lines = this.before.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text;
    // Large integers are read as texts.
    const stored = cell.matches(".type-int") ? 0 : this.row.values[column.name];
    const update = { [column.name]: valueOf(lines, column, stored) };
    const written = await writeRows([
      { op: "update", key: keyOf(row) ?? [], if_match: this.row.version, update },
    ]);
    const { activeElement } = document;
    this.#close(activeElement === document.body || cell.contains(activeElement));
    const name = column.name;
    await showChange(t("script.saved", { column: name }), written, () => refreshRow(row, name));
  }

  /** Another client was faster: both values are shown, and Enter replaces theirs. */
  async #askAboutConflict(): Promise<void> {
    this.row = await readRow(this.place.href);
    const theirs = textOf(this.row.values[this.place.column.name]) ?? t("script.bytes");
    const what = theirs === this.before ? t("script.other_changed") : t("script.now_is", { value: theirs });
    this.#ask(t("script.conflict", { what, value: this.#field.value }), this.#field.value);
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
    removeEventListener("beforeunload", this.#askBeforeLoss);
    const { cell } = this.place;
    cell.replaceChildren(...this.#shown);
    cell.classList.remove("is-edited");
    cell.tabIndex = cell.tabIndex === 0 ? 0 : -1;
    if (takesFocus) cell.focus();
  }
}
