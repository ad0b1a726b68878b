import { element } from "rowhouse/browser";

/** Fewer lines fit on a screen. */
const FEW = 20;

/** A field above many lines that leaves those of the columns with the typed name. Browsers do not search in fields. */
export function offerToFind(table: HTMLElement): void {
  const lines = [...table.querySelectorAll("tbody tr")];
  const label = table.dataset["find"] ?? "";
  if (lines.length <= FEW) return;
  const field = element("input", { type: "search", placeholder: label, "aria-label": label });
  field.addEventListener("input", (event) => {
    // It is no field of the form.
    event.stopPropagation();
    const typed = field.value.trim().toLowerCase();
    for (const line of lines) {
      const name = line.querySelector("input")?.value ?? "";
      line.toggleAttribute("hidden", name !== "" && !name.toLowerCase().includes(typed));
    }
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) event.preventDefault();
  });
  table.before(element("p", { class: "find-column" }, field));
}
