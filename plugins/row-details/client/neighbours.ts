import { neighbours, pageTable, storeList, type Neighbour, type RowList } from "rowhouse/browser";
import { t } from "./texts.js";

/** Adds links to the rows before and after this one, in the list that the visitor came from or by their keys. */
export async function showNeighbours(): Promise<void> {
  const found = await neighbours();
  const place = document.querySelector("body.row .data-links");
  if (found === null || place === null) return;
  const nav = document.createElement("nav");
  nav.className = "position row-position";
  nav.setAttribute("aria-label", t("script.row.list_rows"));
  nav.append(
    link(found.previous, { rel: "prev", label: t("script.row.previous"), sign: "‹" }),
    ...(found.list === null ? [] : [listLink(found.list)]),
    link(found.next, { rel: "next", label: t("script.row.next"), sign: "›" }),
  );
  place.append(nav);
}

function listLink({ address }: RowList): HTMLElement {
  const list = document.createElement("a");
  list.href = address;
  list.textContent = t("script.row.list");
  return list;
}

interface LinkText {
  readonly rel: string;
  readonly label: string;
  readonly sign: string;
}

/** The last row keeps the place of its link, so that the others do not move. */
function link(neighbour: Neighbour | null, { rel, label, sign }: LinkText): HTMLElement {
  const made = document.createElement(neighbour === null ? "span" : "a");
  made.className = "button quiet";
  made.textContent = sign;
  if (neighbour === null) {
    made.classList.add("is-missing");
    made.setAttribute("aria-hidden", "true");
    return made;
  }
  made.setAttribute("href", neighbour.href);
  made.setAttribute("rel", rel);
  made.setAttribute("aria-label", label);
  const { list } = neighbour;
  if (list !== null) made.addEventListener("click", () => storeList(pageTable()?.url ?? "", list));
  return made;
}
