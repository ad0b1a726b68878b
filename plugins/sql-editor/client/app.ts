/**
 * Adds colours, an editor and a format button to each text area for SQL. The text areas also work without this
 * script.
 */
import { announce, loadPart } from "rowhouse/browser";
import { addColours } from "./colours.js";

for (const field of document.querySelectorAll<HTMLTextAreaElement>("textarea.sql")) {
  addColours(field);
  openOnFocus(field);
  offerFormatting(field);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) field.form?.requestSubmit();
  });
}

const fetchEditor = () => import("./code-editor.js");

/**
 * The editor is larger than the page. It is loaded when the pointer enters the text area, and opened on focus.
 */
function openOnFocus(field: HTMLTextAreaElement): void {
  field.addEventListener("pointerenter", () => void fetchEditor(), { once: true });
  field.addEventListener("focus", () => void fetchEditor().then(({ openEditor }) => openEditor(field)), {
    once: true,
  });
}

function offerFormatting(field: HTMLTextAreaElement): void {
  const button = field.form?.querySelector<HTMLButtonElement>("[data-format-sql]");
  if (!button) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const part = await loadPart(() => import("./format.js")).catch(({ message }: Error) => announce(message));
    if (!part) return;
    field.value = part.formatSql(field.value, field.dataset["dialect"]);
    field.rows = Math.min(30, Math.max(4, field.value.split("\n").length + 1));
    field.dispatchEvent(new Event("input"));
  });
}
