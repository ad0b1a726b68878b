import { element } from "rowhouse/browser";

/** Shows the button ✖ of each active filter. Choosing the empty column removes the filter. */
export function addClearButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-clear-filter]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const row = button.closest(".filter-row");
      const column = row?.querySelector("select");
      const value = row?.querySelector("input");
      if (column) column.value = "";
      if (value) value.value = "";
      button.form?.requestSubmit();
    });
  }
}

/** Suggests the values of a displayed facet for a value of its column. */
export function completeFacetValues(): void {
  const facets = valuesByColumn();
  if (facets.size === 0) return;
  for (const [index, row] of [...document.querySelectorAll(".filter-row")].entries()) {
    const column = row.querySelector("select");
    const value = row.querySelector<HTMLInputElement>("input[type=text]");
    if (!column || !value) continue;
    const list = element("datalist", { id: `facet-values-${index}` });
    row.append(list);
    value.setAttribute("list", list.id);
    const fill = (): void =>
      list.replaceChildren(
        ...(facets.get(column.value) ?? []).map((one) => element("option", { value: one })),
      );
    column.addEventListener("change", fill);
    fill();
  }
}

function valuesByColumn(): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const facet of document.querySelectorAll<HTMLElement>(".facet[data-column]")) {
    const links = facet.querySelectorAll<HTMLElement>("li > svg + a");
    values.set(
      facet.dataset["column"] ?? "",
      [...links]
        .map((link) => link.dataset["facetValue"] ?? link.textContent)
        .filter((value) => value !== ""),
    );
  }
  return values;
}
