import { t } from "./texts.js";

/** Adds buttons to the items of a list that move them up and down. Fields are sent in the order of the items. */
export function sortableList(list: HTMLElement): void {
  for (const item of list.querySelectorAll("li")) {
    const box = item.querySelector("input");
    // Key columns stay first.
    if (!box || box.disabled) continue;
    item.append(button(item, box.value, "up"), button(item, box.value, "down"));
  }
}

function button(item: HTMLElement, name: string, direction: "up" | "down"): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "quiet move";
  made.textContent = direction === "up" ? "↑" : "↓";
  made.setAttribute("aria-label", t(`script.layout.${direction}`, { column: name }));
  made.addEventListener("click", () => {
    const other = direction === "up" ? item.previousElementSibling : item.nextElementSibling;
    if (!other || other.querySelector("input")?.disabled) return;
    if (direction === "up") other.before(item);
    else other.after(item);
    made.focus();
  });
  return made;
}
