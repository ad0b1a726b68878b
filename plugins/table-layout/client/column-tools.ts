import { button, element } from "rowhouse/browser";
import { t } from "./texts.js";

/** Fewer boxes are ticked sooner one by one. */
const FEW = 10;

/** Above many check boxes: a field that leaves the columns with the typed name, and buttons that tick all or none of them. */
export function addColumnTools(list: HTMLElement): void {
  const items = [...list.querySelectorAll("li")];
  if (items.length <= FEW) return;
  const label = t("script.layout.find");
  const field = element("input", { type: "search", placeholder: label, "aria-label": label });
  field.addEventListener("input", () => {
    const typed = field.value.trim().toLowerCase();
    for (const item of items) {
      const name = item.querySelector("input")?.value ?? "";
      item.toggleAttribute("hidden", !name.toLowerCase().includes(typed));
    }
  });
  const tick = (isTicked: boolean): void => {
    const boxes = items.filter((item) => !item.hidden).map((item) => item.querySelector("input"));
    for (const box of boxes) if (box && !box.disabled) box.checked = isTicked;
  };
  const all = button(t("script.layout.all"), () => tick(true), { class: "quiet" });
  const none = button(t("script.layout.none"), () => tick(false), { class: "quiet" });
  list.before(element("p", { class: "column-tools" }, field, all, none));
}
