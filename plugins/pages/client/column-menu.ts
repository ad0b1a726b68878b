import { columnsOf, contributionsTo, rowsTable, type ColumnPlace } from "rowhouse/browser";
import { entriesOf, entryElement, moveByKey, placePanel } from "./menu-entry.js";
import { t } from "./texts.js";

/** Adds a menu to each sortable heading: what plugins contribute, and facts about the column. */
export function addColumnMenus(): void {
  const table = rowsTable();
  if (!table) return;
  for (const column of columnsOf(table)) if (column.heading.querySelector("a")) addMenu(column);
}

function addMenu(column: ColumnPlace): void {
  const menu = document.createElement("details");
  menu.className = "menu column-menu";
  const button = document.createElement("summary");
  button.setAttribute("aria-label", t("script.column", { name: column.name }));
  const panel = document.createElement("div");
  panel.className = "menu-panel";
  // Above the page, because the heading moves, and the box of the rows cuts what leaves it.
  panel.popover = "manual";
  menu.append(button, panel);
  menu.addEventListener("toggle", () => {
    panel.togglePopover(menu.open);
    if (!menu.open) return;
    panel.replaceChildren(...panelContent(column));
    placePanel(panel, button);
  });
  menu.addEventListener("keydown", (event) => {
    if (menu.open) moveByKey(event, panel);
  });
  panel.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("button")) menu.open = false;
  });
  column.heading.append(menu);
}

// An open menu would not follow its heading.
addEventListener(
  "scroll",
  () => {
    for (const menu of document.querySelectorAll<HTMLDetailsElement>(".column-menu[open]")) menu.open = false;
  },
  { capture: true, passive: true },
);

function panelContent(column: ColumnPlace): Node[] {
  const list = document.createElement("ul");
  list.append(...entriesOf(contributionsTo("column-menu"), column).map(entryElement));
  const about = document.createElement("p");
  about.className = "column-about";
  about.textContent = t("script.type", {
    type: `${column.type || t("script.no_type")}${column.notNull ? " NOT NULL" : ""}`,
  });
  if (column.description === null) return [list, about];
  const description = document.createElement("p");
  description.className = "column-about";
  description.textContent = column.description;
  return [list, about, description];
}
