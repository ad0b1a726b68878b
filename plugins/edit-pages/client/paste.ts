import { announce, element, rowAt, rowsTable, writeRows } from "rowhouse/browser";
import { openDialog, type FormDialog } from "./dialog.js";
import type { EditedTable } from "./edited-table.js";
import { MOST_PASTED, planPaste, type PasteStart, type PlannedRow } from "./paste-plan.js";
import { previewElement, summaryOf } from "./paste-preview.js";
import { messageOf, rowCount, showChange } from "./undo.js";
import { t } from "./texts.js";

/** Lets visitors paste cells of a spreadsheet: into the rows from the focused cell on, or as new rows. */
export function letPaste(table: HTMLTableElement | null, edited: EditedTable): void {
  document.addEventListener("paste", (event) => {
    const { target } = event;
    const isInField = target instanceof Element && target.matches("input, textarea, select, dialog *");
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (isInField || text === "" || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    preview(edited, text, startOf(table));
  });
  document.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("[data-paste-rows]")) askForRows(edited);
  });
}

/** The focused cell; null if the focus is elsewhere: then rows are added. */
function startOf(table: HTMLTableElement | null): PasteStart | null {
  const cell = document.activeElement?.closest<HTMLTableCellElement>("td") ?? null;
  const row = rowAt(cell)?.element;
  if (cell === null || row === undefined || table?.contains(cell) !== true) return null;
  return { row: row.sectionRowIndex, column: cell.cellIndex };
}

/** A field to paste into, for visitors without a cell or a keyboard. */
function askForRows(edited: EditedTable): void {
  const field = element("textarea", { rows: "8" });
  const { content, dialog } = openDialog({
    title: t("script.paste_rows"),
    submit: t("script.preview"),
    save: async () => {
      if (field.value.trim() === "") throw new Error(t("script.paste_first"));
      dialog.close();
      preview(edited, field.value, null);
    },
  });
  content.append(
    element("label", {}, t("script.cells"), field),
    element("p", { class: "hint" }, t("script.paste_hint")),
  );
  field.focus();
}

function preview(edited: EditedTable, text: string, start: PasteStart | null): void {
  const table = rowsTable();
  const sheet = parseSheet(text);
  if (sheet.length > MOST_PASTED) return announce(t("script.too_many", { rows: rowCount(sheet.length) }));
  let planned: readonly PlannedRow[] = [];
  const asked = openDialog({
    title: t("script.paste"),
    submit: t("script.save"),
    save: async () => {
      const operations = planned.flatMap(({ operation }) => operation ?? []);
      const written = await writeRows(operations);
      await showChange(t("script.pasted", { rows: rowCount(operations.length) }), written);
    },
  });
  asked.dialog.classList.add("is-wide");
  asked.submit.disabled = true;
  asked.content.textContent = t("script.checking");
  planPaste(table, edited, { sheet, start }).then(
    (rows) => show(asked, (planned = rows)),
    (error: unknown) => {
      asked.content.textContent = "";
      asked.fail(messageOf(error));
    },
  );
}

function show({ content, submit }: FormDialog, planned: readonly PlannedRow[]): void {
  const wanted = planned.filter(({ operation }) => operation !== null).length;
  const refused = planned.filter(({ refusal }) => refusal !== null).length;
  content.replaceChildren(element("p", { role: "status" }, summaryOf(planned)), previewElement(planned));
  submit.textContent =
    refused === 0
      ? t("script.save_rows", { rows: rowCount(wanted) })
      : t("script.save_others", { rows: rowCount(wanted) });
  submit.disabled = wanted === 0;
  if (wanted > 0) submit.focus();
}

/** Cells that were copied from a spreadsheet: lines of texts separated by tabs, in quotes if they contain either. */
function parseSheet(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]];
  const end = text.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  const cell = /"((?:[^"]|"")*)"(?=[\t\n]|$)|[^\t\n]*/y;
  while (cell.lastIndex <= end.length) {
    const start = cell.lastIndex;
    const [whole = "", quoted] = cell.exec(end) ?? [];
    rows.at(-1)?.push(quoted === undefined ? whole : quoted.replaceAll('""', '"'));
    const next = start + whole.length;
    if (next >= end.length) break;
    if (end[next] === "\n") rows.push([]);
    cell.lastIndex = next + 1;
  }
  return rows;
}
