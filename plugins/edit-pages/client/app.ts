/** Additions to the pages for editing: more columns, cells that can be edited, references that complete. */
import { guardForm } from "./guard-form.js";

for (const set of document.querySelectorAll<HTMLElement>("fieldset[data-more]")) offerMore(set);

const references = document.querySelectorAll<HTMLElement>("[data-completion]");
if (references.length > 0) {
  void import("./reference.js").then(({ completeReference }) => references.forEach(completeReference));
}
for (const form of document.querySelectorAll<HTMLFormElement>(".edit-form")) guardForm(form);

// The server adds this script to a table only if the user may change its rows.
const rows = document.querySelector<HTMLTableElement>("body.table table.rows-and-columns");
if (rows) void import("./cell-editor.js").then(({ letEditCells }) => letEditCells(rows));

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
