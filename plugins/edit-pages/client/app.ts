/** Additions to the pages for editing: more columns, cells that can be edited, references that complete. */
import { button, rowsTable } from "rowhouse/browser";
import { previewFile } from "./blob-preview.js";
import { editedTable } from "./edited-table.js";
import { offerToFind } from "./find-column.js";
import { guardForm } from "./guard-form.js";
import { checkJson } from "./json-field.js";
import { acceptLongTexts } from "./long-text.js";

for (const set of document.querySelectorAll<HTMLElement>("table[data-more]")) offerMore(set);
for (const place of document.querySelectorAll<HTMLElement>(".find-column")) offerToFind(place);

const references = document.querySelectorAll<HTMLElement>("[data-completion]");
if (references.length > 0) {
  void import("./reference.js").then(({ completeReference }) => references.forEach(completeReference));
}
for (const field of document.querySelectorAll<HTMLTextAreaElement>("textarea[data-json]")) checkJson(field);
for (const field of document.querySelectorAll<HTMLTextAreaElement>(".edit-field textarea"))
  acceptLongTexts(field);
for (const place of document.querySelectorAll<HTMLElement>("[data-blob]")) previewFile(place);
for (const form of document.querySelectorAll<HTMLFormElement>(".edit-form")) guardForm(form);
const parameters = document.querySelector<HTMLFieldSetElement>(".sql-parameters");
if (parameters)
  void import("./sql-parameters.js").then(({ followParameters }) => followParameters(parameters));

const edited = editedTable();
if (edited !== null) void import("./workbench.js").then(({ begin }) => begin(rowsTable(), edited));

/** A button that adds an empty line after the last one. Its fields have the next number in their names. */
function offerMore(table: HTMLElement): void {
  const add = (): void => {
    const lines = table.querySelectorAll<HTMLElement>("tbody tr");
    const next = lines[lines.length - 1]?.cloneNode(true) as HTMLElement | undefined;
    if (next === undefined) return;
    for (const control of next.querySelectorAll<HTMLInputElement | HTMLSelectElement>("input, select")) {
      control.name = control.name.replace(/\d+$/, String(lines.length));
      if (control instanceof HTMLSelectElement) control.selectedIndex = 0;
      else if (control.type === "checkbox") control.checked = false;
      else control.value = "";
    }
    table.querySelector("tbody")?.append(next);
    next.querySelector("input")?.focus();
  };
  table.after(button(table.dataset["more"] ?? "", add, { class: "quiet" }));
}
