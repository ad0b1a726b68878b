import type { Mark } from "./clusters.js";
import type { Place } from "./places.js";
import { t } from "./texts.js";

const MOST_LISTED = 20;

/** A card with the rows at one place of the map. */
export function cardFor({ places }: Mark, close: () => void): HTMLElement {
  const card = document.createElement("div");
  card.className = "map-card";
  card.setAttribute("role", "group");
  card.setAttribute(
    "aria-label",
    places.length === 1 ? t("script.map.row") : t("script.map.rows", { count: places.length }),
  );
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet map-card-close";
  button.textContent = "×";
  button.setAttribute("aria-label", t("script.map.close_card"));
  button.addEventListener("click", close);
  card.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") close();
  });
  card.append(button, ...places.slice(0, MOST_LISTED).map(entryFor));
  if (places.length > MOST_LISTED)
    card.append(paragraph(t("script.map.more", { count: places.length - MOST_LISTED })));
  return card;
}

function entryFor({ fields, href }: Place): HTMLElement {
  const entry = document.createElement("div");
  entry.className = "map-card-row";
  const list = document.createElement("dl");
  for (const [column, value] of fields) list.append(term("dt", column), term("dd", value));
  entry.append(list);
  if (href !== null) {
    const link = document.createElement("a");
    link.href = href;
    link.textContent = t("script.map.open");
    entry.append(link);
  }
  return entry;
}

function term(name: "dt" | "dd", text: string): HTMLElement {
  const element = document.createElement(name);
  element.dir = "auto";
  element.textContent = text;
  return element;
}

function paragraph(text: string): HTMLElement {
  const element = document.createElement("p");
  element.textContent = text;
  return element;
}
