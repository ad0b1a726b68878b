import { element, neighbours, pageTable, storeList, type Neighbour } from "rowhouse/browser";
import { t } from "./texts.js";

/** Adds links to the rows before and after this one, in the list that the visitor came from or by their keys. */
export async function showNeighbours(): Promise<void> {
  const found = await neighbours();
  const place = document.querySelector("body.row .data-links");
  if (found === null || place === null) return;
  const nav = element(
    "nav",
    { class: "position row-position", "aria-label": t("script.row.list_rows") },
    link(found.previous, { rel: "prev", label: t("script.row.previous"), sign: "‹" }),
    found.list && element("a", { href: found.list.address }, t("script.row.list")),
    link(found.next, { rel: "next", label: t("script.row.next"), sign: "›" }),
  );
  place.append(nav);
}

interface LinkText {
  readonly rel: string;
  readonly label: string;
  readonly sign: string;
}

/** The last row keeps the place of its link, so that the others do not move. */
function link(neighbour: Neighbour | null, { rel, label, sign }: LinkText): HTMLElement {
  if (neighbour === null)
    return element("span", { class: "button quiet is-missing", "aria-hidden": "true" }, sign);
  const { href, list } = neighbour;
  const made = element("a", { class: "button quiet", href, rel, "aria-label": label }, sign);
  if (list !== null) made.addEventListener("click", () => storeList(pageTable()?.url ?? "", list));
  return made;
}
