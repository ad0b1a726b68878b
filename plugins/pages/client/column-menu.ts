import { changedQuery, tildeEncode } from "rowhouse/browser";

/** The data of a column that its heading contains. */
interface MenuColumn {
  readonly name: string;
  readonly type: string;
  readonly notNull: boolean;
  readonly isKey: boolean;
  readonly description: string | null;
  readonly isFirst: boolean;
  readonly isOnlyKey: boolean;
  readonly hasBlanks: boolean;
}

interface Entry {
  readonly label: string;
  readonly search: string;
}

/** Adds a menu to each sortable heading: sort, facet, hide, and facts about the column. */
export function addColumnMenus(): void {
  const table = document.querySelector<HTMLTableElement>("body.table table.rows-and-columns");
  if (!table) return;
  const headings = [...table.querySelectorAll<HTMLTableCellElement>("thead th")];
  const keys = headings.filter((heading) => heading.dataset["isPk"] === "1");
  for (const [index, heading] of headings.entries()) {
    if (!heading.querySelector("a")) continue;
    const isOnlyKey = keys.length === 1 && keys[0] === heading;
    addMenu(heading, () => columnOf(table, heading, index, isOnlyKey));
  }
}

function addMenu(heading: HTMLTableCellElement, column: () => MenuColumn): void {
  const menu = document.createElement("details");
  menu.className = "menu column-menu";
  const button = document.createElement("summary");
  button.setAttribute("aria-label", `Column ${heading.dataset["column"] ?? ""}`);
  const panel = document.createElement("div");
  panel.className = "menu-panel";
  // Above the page, because the heading moves, and the box of the rows cuts what leaves it.
  panel.popover = "manual";
  menu.append(button, panel);
  menu.addEventListener("toggle", () => {
    panel.togglePopover(menu.open);
    if (!menu.open) return;
    panel.replaceChildren(...panelContent(column()));
    place(panel, button);
  });
  heading.append(menu);
}

/** The panel is positioned relative to the window. */
function place(panel: HTMLElement, button: HTMLElement): void {
  const { left, top, bottom } = button.getBoundingClientRect();
  const rightmost = document.documentElement.clientWidth - panel.offsetWidth - 8;
  panel.style.left = `${Math.max(8, Math.min(left, rightmost))}px`;
  const fitsBelow = bottom + 4 + panel.offsetHeight < document.documentElement.clientHeight;
  panel.style.top = `${fitsBelow ? bottom + 4 : Math.max(8, top - 4 - panel.offsetHeight)}px`;
}

// An open menu would not follow its heading.
addEventListener(
  "scroll",
  () => {
    for (const menu of document.querySelectorAll<HTMLDetailsElement>(".column-menu[open]")) menu.open = false;
  },
  { capture: true, passive: true },
);

function columnOf(
  table: HTMLTableElement,
  heading: HTMLTableCellElement,
  index: number,
  isOnlyKey: boolean,
): MenuColumn {
  const { column = "", columnType = "", columnNotNull, isPk, columnDescription } = heading.dataset;
  const cells = [...table.querySelectorAll(`tbody tr > td:nth-child(${index + 1})`)];
  return {
    name: column,
    type: columnType,
    notNull: columnNotNull === "1",
    isKey: isPk === "1",
    description: columnDescription ?? null,
    isFirst: index === 0,
    isOnlyKey,
    hasBlanks: cells.some((cell) => cell.textContent?.trim() === ""),
  };
}

function panelContent(column: MenuColumn): Node[] {
  const list = document.createElement("ul");
  list.append(...entries(column, location.search).map(entryElement));
  const about = document.createElement("p");
  about.className = "column-about";
  about.textContent = `Type: ${column.type || "none"}${column.notNull ? " NOT NULL" : ""}`;
  if (column.description === null) return [list, about];
  const description = document.createElement("p");
  description.className = "column-about";
  description.textContent = column.description;
  return [list, about, description];
}

function entryElement({ label, search }: Entry): HTMLLIElement {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = `${location.pathname}?${search}`;
  link.rel = "nofollow";
  link.textContent = label;
  item.append(link);
  return item;
}

/** The entries for a column on this page. */
function entries(column: MenuColumn, search: string): Entry[] {
  const { name } = column;
  const query = new URLSearchParams(search);
  const groups = document.querySelector(".filters[data-groups]") !== null;
  const allowsFacets = document.body.querySelector("[data-allow-facet]") !== null;
  const shownFacets = [...document.querySelectorAll<HTMLElement>(".facet[data-column]")];
  const faceted = shownFacets.some((facet) => facet.dataset["column"] === name);
  const choices: readonly (readonly [wanted: boolean, entry: Entry])[] = [
    [query.get("_sort") !== name, { label: "Sort ascending", search: sorted(search, "_sort", name) }],
    [
      query.get("_sort_desc") !== name,
      { label: "Sort descending", search: sorted(search, "_sort_desc", name) },
    ],
    ...furtherSorts(search, name),
    [
      allowsFacets && !column.isFirst && !faceted && !column.isOnlyKey,
      { label: "Facet by this", search: changedQuery(search, ["_next"], [["_facet", name]]) },
    ],
    [
      groups && !column.isOnlyKey,
      {
        label: "Group by this",
        search: changedQuery(search, PAGE_ARGUMENTS, [["_group", tildeEncode(name)]]),
      },
    ],
    [
      !column.isKey,
      { label: "Hide this column", search: changedQuery(search, ["_next"], [["_nocol", name]]) },
    ],
    [
      query.has("_col") || query.has("_nocol"),
      { label: "Show all columns", search: changedQuery(search, ["_col", "_nocol"]) },
    ],
    [
      column.hasBlanks && !query.has(`${name}__notblank`),
      { label: "Show not-blank rows", search: changedQuery(search, ["_next"], [[`${name}__notblank`, "1"]]) },
    ],
  ];
  return choices.filter(([wanted]) => wanted).map(([, entry]) => entry);
}

/** Arguments of a page of rows that mean nothing for groups. */
const PAGE_ARGUMENTS = ["_sort", "_sort_desc", "_order", "_next", "_size", "_col", "_nocol", "_facet"];

/** With an order by other columns: entries that add this one to it. */
function furtherSorts(search: string, name: string): (readonly [wanted: boolean, entry: Entry])[] {
  const order = orderOf(new URLSearchParams(search));
  const isNew = order.length > 0 && !order.some((part) => part.replace(/^-/, "") === encodedName(name));
  const added = (part: string): string =>
    changedQuery(
      search,
      ["_sort", "_sort_desc", "_order", "_next"],
      [["_order", [...order, part].join(",")]],
    );
  return [
    [isNew, { label: "Then sort ascending", search: added(encodedName(name)) }],
    [isNew, { label: "Then sort descending", search: added(`-${encodedName(name)}`) }],
  ];
}

/** The order of the page in the form of `_order`. */
function orderOf(query: URLSearchParams): string[] {
  const [ascending, descending] = [query.get("_sort"), query.get("_sort_desc")];
  if (ascending) return [encodedName(ascending)];
  if (descending) return [`-${encodedName(descending)}`];
  return (query.get("_order") ?? "").split(",").filter((part) => part !== "");
}

/** The name of a column in `_order`: tilde-encoded, with a leading hyphen too, which would mean descending. */
const encodedName = (name: string): string => tildeEncode(name).replace(/^-/, "~2D");

const sorted = (search: string, argument: string, name: string): string =>
  changedQuery(search, ["_sort", "_sort_desc", "_order", "_next"], [[argument, name]]);
