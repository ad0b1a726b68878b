import { columnsOf, contributionsTo, element, rowsTable, type ColumnPlace } from "rowhouse/browser";
import { entriesOf, entryElement, moveByKey, placePanel } from "./menu-entry.js";
import { t } from "./texts.js";

/** Adds a menu to each sortable heading: what plugins contribute, and facts about the column. */
export function addColumnMenus(): void {
  const table = rowsTable();
  if (!table) return;
  for (const column of columnsOf(table)) if (column.heading.querySelector("a")) addMenu(column);
}

function addMenu(column: ColumnPlace): void {
  const button = element("summary", { "aria-label": t("script.column", { name: column.name }) });
  // Above the page, because the heading moves, and the box of the rows cuts what leaves it.
  const panel = element("div", { class: "menu-panel", popover: "manual" });
  const menu = element("details", { class: "menu column-menu" }, button, panel);
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
  const entries = entriesOf(contributionsTo("column-menu"), column);
  const type = `${column.type || t("script.no_type")}${column.notNull ? " NOT NULL" : ""}`;
  const facts = [t("script.type", { type }), ...(column.description === null ? [] : [column.description])];
  return [
    element("ul", {}, ...entries.map(entryElement)),
    ...facts.map((fact) => element("p", { class: "column-about" }, fact)),
  ];
}
