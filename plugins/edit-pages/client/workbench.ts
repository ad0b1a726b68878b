import { addToSlot, pageTable, undoLast } from "rowhouse/browser";
import { letEditCells } from "./cell-editor.js";
import type { EditedTable } from "./edited-table.js";
import { letPaste } from "./paste.js";
import { announceChangeBeforeReload } from "./undo.js";
import { deleteRows } from "./delete-rows.js";
import { openSetDialog } from "./set-values.js";
import { t } from "./texts.js";

/** Lets a visitor change the rows of a page where they are. @param rows null on a page without rows */
export function begin(rows: HTMLTableElement | null, edited: EditedTable): void {
  if (edited.mayUpdate && rows !== null) letEditCells(rows, edited);
  addRowActions(edited);
  if (edited.mayUpdate || edited.mayInsert) letPaste(rows, edited);
  announceChangeBeforeReload();
  document.addEventListener("keydown", (event) => {
    const isInField =
      event.target instanceof Element && event.target.matches("input:not([type=checkbox]), textarea");
    const isUndo = event.key === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey;
    // Below an open dialog, visitors would not see what is undone.
    const isBelowDialog = document.querySelector("dialog:modal") !== null;
    if (isUndo && !isInField && !isBelowDialog && undoLast()) event.preventDefault();
  });
}

/** Adds what the visitor may do to the menus of rows and to the selected rows. */
function addRowActions(table: EditedTable): void {
  const { mayInsert, mayUpdate, mayDelete } = table;
  addToSlot("row-menu", (row) => {
    const { href } = row;
    if (href === null) return [];
    const path = new URL(href).pathname.split("/").pop() ?? "";
    const copy = `${pageTable()?.url ?? ""}/-/new-row?from=${encodeURIComponent(path)}`;
    return [
      ...(mayUpdate ? [{ label: t("script.edit"), href: `${href}/-/edit` }] : []),
      ...(mayInsert ? [{ label: t("script.duplicate"), href: copy }] : []),
      ...(mayDelete
        ? [{ label: t("script.delete"), isDangerous: true, run: () => deleteRows(table, [row]) }]
        : []),
    ];
  });
  if (mayUpdate)
    addToSlot("selection", { label: t("script.set_value"), run: (rows) => openSetDialog(table, rows) });
  if (mayDelete)
    addToSlot("selection", {
      label: t("script.delete"),
      isDangerous: true,
      run: (rows) => deleteRows(table, rows),
    });
}
