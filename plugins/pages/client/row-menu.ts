import {
  addToSlot,
  announce,
  contributionsTo,
  copyText,
  element,
  keyOf,
  onPage,
  onSlotChange,
  rowAt,
  rowsOf,
  type MenuEntry,
  type RowPlace,
} from "rowhouse/browser";
import { entriesOf, entryControls, entryElement, moveByKey, placePanel } from "./menu-entry.js";
import { t } from "./texts.js";

/** Gives each row with a page a menu. Shift+F10 and the menu key open it from any cell of the row. */
export function addRowMenus(): void {
  addToSlot("row-menu", ({ href }) => (href === null ? [] : [{ label: t("script.open"), href }]));
  addToSlot("row-menu", (row) =>
    row.href === null ? [] : [{ label: t("script.copy_json"), run: () => copyRow(row.href ?? "") }],
  );
  onSlotChange("row-menu", (contribution) => {
    if (shown !== null) addItems(shown.list, entriesOf([contribution], shown.row));
  });
  onPage("rows-loaded", ({ table }) => {
    for (const row of rowsOf(table)) if (row.href !== null) addButton(row);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "ContextMenu" && !(event.shiftKey && event.key === "F10")) return;
    const button = rowAt(event.target)?.element.querySelector<HTMLElement>(".row-menu-button");
    if (!button) return;
    event.preventDefault();
    button.click();
  });
}

function addButton(row: RowPlace): void {
  const button = element("button", {
    type: "button",
    class: "row-menu-button",
    "aria-label": t("script.row", { key: keyOf(row)?.join(", ") ?? "" }),
    "aria-haspopup": "menu",
    // Reached by Shift+F10, and by the tab key from its cell, so that there is no stop at each row.
    tabindex: "-1",
  });
  row.element.querySelector("td.type-pk")?.append(button);
}

/** One menu for all rows, created when it is first opened. */
let menu: HTMLElement | null = null;
/** What the open menu shows. Scripts that are loaded later add to it. */
let shown: { readonly row: RowPlace; readonly list: HTMLElement } | null = null;
/** What had the focus before the menu was opened. */
let origin: Element | null = null;

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLElement>(".row-menu-button") : null;
  const row = rowAt(button);
  if (button && row) open(row, button);
});

function open(row: RowPlace, button: HTMLElement): void {
  menu ??= createMenu();
  const panel = menu;
  const list = element("ul", { role: "menu", "aria-label": button.getAttribute("aria-label") ?? "" });
  addItems(list, entriesOf(contributionsTo("row-menu"), row));
  shown = { row, list };
  origin = document.activeElement;
  panel.replaceChildren(list);
  panel.showPopover();
  placePanel(panel, button);
  entryControls(list)[0]?.focus();
}

function addItems(list: HTMLElement, entries: readonly MenuEntry[]): void {
  list.append(...entries.map(entryElement));
  for (const item of list.querySelectorAll("li")) item.setAttribute("role", "none");
  for (const item of entryControls(list)) item.setAttribute("role", "menuitem");
}

function createMenu(): HTMLElement {
  const panel = element("div", { class: "menu-panel row-menu", popover: "auto" });
  panel.addEventListener("click", () => panel.hidePopover());
  panel.addEventListener("toggle", ({ newState }) => {
    const { activeElement } = document;
    const isLost = activeElement === document.body || panel.contains(activeElement);
    if (newState === "closed") shown = null;
    if (newState === "closed" && isLost && origin instanceof HTMLElement) origin.focus();
  });
  panel.addEventListener("keydown", (event) => {
    if (event.key === "Tab") panel.hidePopover();
    else moveByKey(event, panel);
  });
  return (document.querySelector("main") ?? document.body).appendChild(panel);
}

/** As the server writes it, so that numbers keep their digits. */
async function copyRow(href: string): Promise<void> {
  const response = await fetch(`${href}.json?_shape=array&_nl=on`).catch(() => null);
  if (response?.ok !== true) throw new Error(t("script.not_copied"));
  await copyText((await response.text()).trim());
  announce(t("script.copied_json"));
}
