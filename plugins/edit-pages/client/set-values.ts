import { keyOf, refreshRows, writeRows, type RowPlace } from "rowhouse/browser";
import { cellField, type CellField } from "./cell-field.js";
import { misfit, valueOf } from "./cell-value.js";
import { openDialog } from "./dialog.js";
import type { EditedColumn, EditedTable } from "./edited-table.js";
import { missingReference } from "./reference-check.js";
import { announceChange, rowCount } from "./undo.js";

/** Asks for a column and a value, and writes it to the selected rows. */
export function openSetDialog({ columns }: EditedTable, rows: readonly RowPlace[]): void {
  const chooser = new ValueChooser(columns.filter(({ name }) => !isKey(name)));
  const { content } = openDialog({
    title: `Set a value in ${rowCount(rows.length)}`,
    submit: `Change ${rowCount(rows.length)}`,
    save: async () => {
      const update = await chooser.update();
      const written = await writeRows(rows.map((row) => ({ op: "update", key: keyOf(row) ?? [], update })));
      await refreshRows();
      announceChange(`${Object.keys(update).join()} set in ${rowCount(rows.length)}.`, written);
    },
  });
  content.append(...chooser.elements);
  chooser.focus();
}

const isKey = (name: string): boolean =>
  document.querySelector(`thead th[data-column="${CSS.escape(name)}"][data-is-pk="1"]`) !== null;

class ValueChooser {
  readonly #column = document.createElement("select");
  readonly #place = document.createElement("p");
  readonly #null = document.createElement("input");
  readonly #nullLabel = document.createElement("label");
  #field: CellField | null = null;
  /** The text to which a doubt was shown: the next submission saves it. */
  #confirmed: string | null = null;

  constructor(private readonly columns: readonly EditedColumn[]) {
    this.#column.append(...columns.map(({ name }) => new Option(name, name)));
    this.#column.addEventListener("change", () => this.#show());
    this.#place.className = "field";
    this.#null.type = "checkbox";
    this.#null.addEventListener("change", () => {
      if (this.#field) this.#field.input.disabled = this.#null.checked;
    });
    this.#nullLabel.append(this.#null, " NULL");
    this.#show();
  }

  get elements(): readonly HTMLElement[] {
    const column = document.createElement("p");
    column.className = "field";
    const label = document.createElement("label");
    label.append("Column", this.#column);
    column.append(label);
    return [column, this.#place, this.#nullLabel];
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
    this.#field.input.setAttribute("aria-label", `Value of ${column.name}`);
    this.#place.replaceChildren(this.#field.element);
  }

  /** @throws Error once for a value that does not fit the column */
  async update(): Promise<Readonly<Record<string, unknown>>> {
    const column = this.#chosen();
    const text = this.#field?.input.value ?? "";
    if (column === undefined) throw new Error("Choose a column");
    if (this.#null.checked) return { [column.name]: null };
    const isConfirmed = this.#confirmed === text;
    const doubt = isConfirmed ? null : (misfit(text, column) ?? (await missingReference(text, column)));
    if (doubt !== null) {
      this.#confirmed = text;
      throw new Error(`${doubt}. Press the button again to save it all the same.`);
    }
    return { [column.name]: valueOf(text, column) };
  }
}
