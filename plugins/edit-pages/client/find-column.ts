import { element } from "rowhouse/browser";

/** A field above the lines of columns that leaves those with the typed name. Browsers do not search in fields. */
export function offerToFind(place: HTMLElement): void {
  const lines = [...(place.parentElement?.querySelectorAll(".column-table tbody tr") ?? [])];
  const label = place.dataset["label"] ?? "";
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
  place.replaceChildren(field);
}
