import { element } from "rowhouse/browser";
import type { EditedColumn } from "./edited-table.js";
import { completeReference } from "./reference.js";

/** A field for one value, and the element to show. */
export interface CellField {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
}

/** The control for a column: a menu, a field that finds rows by their labels, or a field of text. */
export function cellField(column: EditedColumn, text: string): CellField {
  if (column.choices !== null) return menu(column.choices, column, text);
  if (column.reference !== null && column.reference.completion !== null) return reference(column, text);
  const input = element(/[\r\n]/.test(text) || text.length > 60 ? "textarea" : "input");
  input.value = text;
  return named({ element: input, input }, column);
}

function named(field: CellField, { name }: EditedColumn): CellField {
  field.input.setAttribute("aria-label", name);
  return field;
}

function menu(choices: readonly string[], column: EditedColumn, text: string): CellField {
  const options = text === "" || choices.includes(text) ? choices : [...choices, text];
  const input = element("select", {}, new Option("", ""), ...options.map((one) => new Option(one, one)));
  input.value = text;
  return named({ element: input, input }, column);
}

function reference(column: EditedColumn, text: string): CellField {
  const { completion, key } = column.reference ?? {};
  const input = element("input");
  input.value = text;
  const place = element(
    "span",
    { class: "reference", "data-completion": completion ?? "", "data-key": key ?? "" },
    input,
    element("span", { class: "hint", "data-label": true }),
  );
  completeReference(place);
  return named({ element: place, input }, column);
}
