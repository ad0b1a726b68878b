import {
  addToSlot,
  changedQuery,
  rowsTable,
  tildeEncode,
  type ColumnPlace,
  type MenuEntry,
} from "rowhouse/browser";
import { t } from "./texts.js";

/** An entry, and whether this page has it. */
type Choice = readonly [isWanted: boolean, entry: { readonly label: string; readonly search: string }];

/** Adds to the menu of each column: sort, facet, group and hide. */
export function addColumnEntries(): void {
  addToSlot("column-menu", (column) =>
    choices(column, location.search)
      .filter(([isWanted]) => isWanted)
      .map(([, { label, search }]): MenuEntry => ({ label, href: `${location.pathname}?${search}` })),
  );
}

function choices(column: ColumnPlace, search: string): readonly Choice[] {
  const { name } = column;
  const query = new URLSearchParams(search);
  const isOnlyKey = column.isKey && document.querySelectorAll('thead th[data-is-pk="1"]').length === 1;
  const groups = document.querySelector(".filters[data-groups]") !== null;
  const allowsFacets = document.body.querySelector("[data-allow-facet]") !== null;
  const shownFacets = [...document.querySelectorAll<HTMLElement>(".facet[data-column]")];
  const isFaceted = shownFacets.some((facet) => facet.dataset["column"] === name);
  const changed = (label: string, remove: readonly string[], argument?: readonly [string, string]) => ({
    label,
    search: changedQuery(search, remove, argument === undefined ? [] : [argument]),
  });
  return [
    [query.get("_sort") !== name, changed(t("script.sort_ascending"), ORDER, ["_sort", name])],
    [query.get("_sort_desc") !== name, changed(t("script.sort_descending"), ORDER, ["_sort_desc", name])],
    ...furtherSorts(search, name),
    [
      allowsFacets && column.index > 0 && !isFaceted && !isOnlyKey,
      changed(t("script.facet"), ["_next"], ["_facet", name]),
    ],
    [groups && !isOnlyKey, changed(t("script.group"), PAGE_ARGUMENTS, ["_group", tildeEncode(name)])],
    [!column.isKey, changed(t("script.hide_column"), ["_next"], ["_nocol", name])],
    [query.has("_col") || query.has("_nocol"), changed(t("script.all_columns"), ["_col", "_nocol"])],
    [
      hasBlanks(column) && !query.has(`${name}__notblank`),
      changed(t("script.not_blank"), ["_next"], [`${name}__notblank`, "1"]),
    ],
  ];
}

function hasBlanks({ index }: ColumnPlace): boolean {
  const cells = rowsTable()?.querySelectorAll(`tbody tr > td:nth-child(${index + 1})`) ?? [];
  return [...cells].some((cell) => cell.textContent?.trim() === "");
}

const ORDER = ["_sort", "_sort_desc", "_order", "_next"];

/** Arguments of a page of rows that mean nothing for groups. */
const PAGE_ARGUMENTS = ["_sort", "_sort_desc", "_order", "_next", "_size", "_col", "_nocol", "_facet"];

/** With an order by other columns: entries that add this one to it. */
function furtherSorts(search: string, name: string): readonly Choice[] {
  const order = orderOf(new URLSearchParams(search));
  const isNew = order.length > 0 && !order.some((part) => part.replace(/^-/, "") === encodedName(name));
  const added = (part: string): string =>
    changedQuery(search, ORDER, [["_order", [...order, part].join(",")]]);
  return [
    [isNew, { label: t("script.then_ascending"), search: added(encodedName(name)) }],
    [isNew, { label: t("script.then_descending"), search: added(`-${encodedName(name)}`) }],
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
