/** The script of every page. Pages work without it. */
import { navigateCells } from "./cells.js";
import { addColumnMenus } from "./column-menu.js";
import { addClearButtons, completeFacetValues } from "./filter-rows.js";
import { letHeadingFollowPage } from "./follow-page.js";
import { closeMenusOnOutsideClick } from "./menus.js";

closeMenusOnOutsideClick();
addClearButtons();
completeFacetValues();
addColumnMenus();
navigateCells();
letHeadingFollowPage();
