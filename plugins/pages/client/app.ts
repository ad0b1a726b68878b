/** The script of every page. Pages work without it. */
import { addColumnMenus } from "./column-menu.js";
import { addClearButtons, completeFacetValues } from "./filter-rows.js";
import { closeMenusOnOutsideClick } from "./menus.js";

closeMenusOnOutsideClick();
addClearButtons();
completeFacetValues();
addColumnMenus();
