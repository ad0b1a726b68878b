/** The script of every page. Pages work without it. */
import { firePageEvent, onPage, rememberRows, rowsTable } from "rowhouse/browser";
import { showCellsToPlugins } from "./cell-slot.js";
import { navigateCells } from "./cells.js";
import { copyFocusedCell } from "./copy-cell.js";
import { addColumnEntries } from "./column-entries.js";
import { addColumnMenus } from "./column-menu.js";
import { exportAllFromFirstRow, refuseLongAddresses, submitFormsOnce } from "./forms.js";
import { addClearButtons, completeFacetValues } from "./filter-rows.js";
import { findNamesWhileTyping } from "./find-names.js";
import { letHeadingFollowPage } from "./follow-page.js";
import { showLocalTimes } from "./local-times.js";
import { closeMenusOnOutsideClick, keepMenusInWindow } from "./menus.js";
import { awaitCount } from "./pending-count.js";
import { addRowMenus } from "./row-menu.js";
import { letRowsBeSelected } from "./selection.js";
import { showToolbarSlots } from "./toolbar.js";

showLocalTimes();
closeMenusOnOutsideClick();
keepMenusInWindow();
addClearButtons();
completeFacetValues();
findNamesWhileTyping();
exportAllFromFirstRow();
addColumnEntries();
addColumnMenus();
showToolbarSlots();
letHeadingFollowPage();
refuseLongAddresses();
submitFormsOnce();
void awaitCount();

const table = rowsTable();
if (table !== null) {
  firePageEvent("rows-loaded", { table });
  onPage("rows-loaded", rememberRows);
  onPage("rows-loaded", showLocalTimes);
  onPage("cell-changed", showLocalTimes);
  addRowMenus();
  letRowsBeSelected();
  showCellsToPlugins();
  navigateCells();
  copyFocusedCell();
}
