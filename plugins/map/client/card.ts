import { button, element } from "rowhouse/browser";
import type { Mark } from "./clusters.js";
import type { Place } from "./places.js";
import { t } from "./texts.js";

const MOST_LISTED = 20;

/** A card with the rows at one place of the map. */
export function cardFor({ places }: Mark, close: () => void): HTMLElement {
  const label = places.length === 1 ? t("script.map.row") : t("script.map.rows", { count: places.length });
  const more = places.length - MOST_LISTED;
  const card = element(
    "div",
    { class: "map-card", role: "group", "aria-label": label },
    button("×", close, { class: "quiet map-card-close", "aria-label": t("script.map.close_card") }),
    ...places.slice(0, MOST_LISTED).map(entryFor),
    more > 0 ? element("p", {}, t("script.map.more", { count: more })) : null,
  );
  card.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") close();
  });
  return card;
}

function entryFor({ fields, href }: Place): HTMLElement {
  const facts = fields.flatMap(([column, value]) => [
    element("dt", { dir: "auto" }, column),
    element("dd", { dir: "auto" }, value),
  ]);
  const link = href === null ? null : element("a", { href }, t("script.map.open"));
  return element("div", { class: "map-card-row" }, element("dl", {}, ...facts), link);
}
