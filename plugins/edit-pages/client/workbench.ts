import { undoLast } from "rowhouse/browser";
import { letEditCells } from "./cell-editor.js";
import type { EditedTable } from "./edited-table.js";
import { letPaste } from "./paste.js";
import { addRowActions } from "./row-actions.js";
import { announceChangeBeforeReload } from "./undo.js";

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
    if (isUndo && !isInField && undoLast()) event.preventDefault();
  });
}
