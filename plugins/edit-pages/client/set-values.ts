import { element, WriteRefused, writeRows, type RowPlace } from "rowhouse/browser";
import { cellField, type CellField } from "./cell-field.js";
import { misfit, valueOf } from "./cell-value.js";
import { openDialog } from "./dialog.js";
import type { EditedColumn, EditedTable } from "./edited-table.js";
import { missingReference } from "./reference-check.js";
import { ChangeNotes } from "./change-notes.js";
import { SelectedRows } from "./selected-rows.js";
import { messageOf, rowCount, showChange } from "./undo.js";
import { t } from "./texts.js";

/** Asks for a column and a value, and writes it to the selected rows that no other client has changed meanwhile. */
export function openSetDialog({ columns }: EditedTable, rows: readonly RowPlace[]): void {
  const chooser = new ValueChooser(columns.filter(({ name }) => !isKey(name)));
  let selected = SelectedRows.read(rows);
  const notes = new ChangeNotes(t("script.change_these_too"));
  const dialog = openDialog({
    title: t("script.set_value_in", { rows: rowCount(rows.length) }),
    submit: t("script.change_rows", { rows: rowCount(rows.length) }),
    save: async () => {
      const update = await chooser.update();
      selected = selected.catch(() => SelectedRows.read(rows));
      const found = await selected;
      const chosen = found.chosen(notes.includesConflicts);
      if (chosen.length === 0) throw new Error(t("script.no_row_left"));
      try {
        const versions = found.versions(notes.includesConflicts);
        const written = await writeRows(versions.map((row) => ({ op: "update", ...row, update })));
        const values = { column: Object.keys(update).join(), rows: rowCount(chosen.length) };
        await showChange(t("script.value_set", values), written);
      } catch (error) {
        if (!(error instanceof WriteRefused) || error.status !== HAS_CHANGED) throw error;
        notes.showConflicts(await found.reread(Object.keys(update).join()));
        dialog.submit.textContent = t("script.change_rows", { rows: rowCount(found.chosen(false).length) });
        throw new Error(t("script.rows_changed"), { cause: error });
      }
    },
  });
  notes.onChoice = async (includes) => {
    dialog.submit.textContent = t("script.change_rows", {
      rows: rowCount((await selected).chosen(includes).length),
    });
  };
  dialog.content.append(...chooser.elements, notes.element);
  chooser.focus();
  selected.then(
    ({ changedBefore }) => notes.showEarlier(changedBefore),
    (error: unknown) => dialog.fail(messageOf(error)),
  );
}

const HAS_CHANGED = 412;

const isKey = (name: string): boolean =>
  document.querySelector(`thead th[data-column="${CSS.escape(name)}"][data-is-pk="1"]`) !== null;

class ValueChooser {
  readonly #column = element("select");
  readonly #place = element("p", { class: "field" });
  readonly #null = element("input", { type: "checkbox" });
  readonly #nullLabel = element("label", {}, this.#null, " NULL");
  #field: CellField | null = null;
  /** The text to which a doubt was shown: the next submission saves it. */
  #confirmed: string | null = null;

  constructor(private readonly columns: readonly EditedColumn[]) {
    this.#column.append(...columns.map(({ name }) => new Option(name, name)));
    this.#column.addEventListener("change", () => this.#show());
    this.#null.addEventListener("change", () => {
      if (this.#field) this.#field.input.disabled = this.#null.checked;
    });
    this.#show();
  }

  get elements(): readonly HTMLElement[] {
    const label = element("label", {}, t("script.set_column"), this.#column);
    return [element("p", { class: "field" }, label), this.#place, this.#nullLabel];
  }

  focus(): void {
    this.#column.focus();
  }

  #chosen(): EditedColumn | undefined {
    return this.columns.find(({ name }) => name === this.#column.value);
  }

  #show(): void {
    const column = this.#chosen();
    if (column === undefined) return;
    this.#confirmed = null;
    this.#null.checked = false;
    this.#nullLabel.hidden = column.notNull;
    this.#field = cellField(column, "");
    this.#field.input.setAttribute("aria-label", t("script.value_of", { column: column.name }));
    this.#place.replaceChildren(this.#field.element);
  }

  /** @throws Error once for a value that does not fit the column */
  async update(): Promise<Readonly<Record<string, unknown>>> {
    const column = this.#chosen();
    const text = this.#field?.input.value ?? "";
    if (column === undefined) throw new Error(t("script.choose_column"));
    if (this.#null.checked) return { [column.name]: null };
    const isConfirmed = this.#confirmed === text;
    const doubt = isConfirmed ? null : (misfit(text, column) ?? (await missingReference(text, column)));
    if (doubt !== null) {
      this.#confirmed = text;
      throw new Error(t("script.press_again", { doubt }));
    }
    return { [column.name]: valueOf(text, column) };
  }
}
