import { button } from "rowhouse/browser";
import { t } from "./texts.js";

/** Adds buttons to the items of a list that move them up and down. Fields are sent in the order of the items. */
export function sortableList(list: HTMLElement): void {
  for (const item of list.querySelectorAll("li")) {
    const box = item.querySelector("input");
    // Key columns stay first.
    if (!box || box.disabled) continue;
    item.append(mover(item, box.value, "up"), mover(item, box.value, "down"));
  }
}

function mover(item: HTMLElement, column: string, direction: "up" | "down"): HTMLButtonElement {
  const move = (): void => {
    const other = direction === "up" ? item.previousElementSibling : item.nextElementSibling;
    if (!other || other.querySelector("input")?.disabled) return;
    if (direction === "up") other.before(item);
    else other.after(item);
    made.focus();
  };
  const label = t(`script.layout.${direction}`, { column });
  const made = button(direction === "up" ? "↑" : "↓", move, { class: "quiet move", "aria-label": label });
  return made;
}
