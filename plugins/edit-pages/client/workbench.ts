import { undoLast } from "rowhouse/browser";
import { letEditCells } from "./cell-editor.js";
import type { EditedTable } from "./edited-table.js";
import { letPaste } from "./paste.js";
import { addRowActions } from "./row-actions.js";

/** Lets a visitor change the rows of a page where they are. */
export function begin(rows: HTMLTableElement, edited: EditedTable): void {
  if (edited.mayUpdate) letEditCells(rows, edited);
  addRowActions(edited);
  if (edited.mayUpdate || edited.mayInsert) letPaste(rows, edited);
  document.addEventListener("keydown", (event) => {
    const isInField =
      event.target instanceof Element && event.target.matches("input:not([type=checkbox]), textarea");
    const isUndo = event.key === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey;
    if (isUndo && !isInField && undoLast()) event.preventDefault();
  });
}
