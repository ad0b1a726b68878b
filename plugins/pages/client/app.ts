/** The script of every page. Pages work without it; it adds comfort. */
import { addColumnMenus } from "./column-menu.js";
import { addClearButtons, completeFacetValues } from "./filter-rows.js";
import { closeMenusOnOutsideClick } from "./menus.js";
import { enrichSqlEditor } from "./sql-editor.js";

closeMenusOnOutsideClick();
addClearButtons();
completeFacetValues();
addColumnMenus();
for (const editor of document.querySelectorAll<HTMLTextAreaElement>("textarea.sql")) enrichSqlEditor(editor);
