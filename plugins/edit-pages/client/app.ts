/** Additions to the pages for editing: more columns, files that are dropped, progress. */
import { rowsTable } from "rowhouse/browser";
import { editedTable } from "./edited-table.js";
import { guardForm } from "./guard-form.js";
import { offerFileUpload } from "./import.js";

for (const set of document.querySelectorAll<HTMLElement>("fieldset[data-more]")) offerMore(set);
for (const zone of document.querySelectorAll<HTMLElement>("[data-import]")) offerFileUpload(zone);

const references = document.querySelectorAll<HTMLElement>("[data-completion]");
if (references.length > 0) {
  void import("./reference.js").then(({ completeReference }) => references.forEach(completeReference));
}
for (const form of document.querySelectorAll<HTMLFormElement>(".edit-form")) guardForm(form);

const rows = rowsTable();
const edited = editedTable();
if (rows !== null && edited !== null) void import("./workbench.js").then(({ begin }) => begin(rows, edited));

/** A button that adds an empty line after the last one. */
function offerMore(set: HTMLElement): void {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet";
  button.textContent = set.dataset["more"] ?? "";
  button.addEventListener("click", () => {
    const lines = set.querySelectorAll<HTMLElement>(".edit-column");
    const next = lines[lines.length - 1]?.cloneNode(true) as HTMLElement | undefined;
    if (next === undefined) return;
    for (const input of next.querySelectorAll("input")) input.value = "";
    button.before(next);
    next.querySelector("input")?.focus();
  });
  set.append(button);
}
