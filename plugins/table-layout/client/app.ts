/** Adds to the menu of columns: their order, frozen columns and the density of rows; and handles for widths. */
import { button, element } from "rowhouse/browser";
import { applyLayout } from "./column-styles.js";
import { addColumnTools } from "./column-tools.js";
import { DENSITIES, storedDensity, storedLayout, storeDensity, storeLayout, type Layout } from "./layout.js";
import { addHandles } from "./resize.js";
import { sortableList } from "./sortable-list.js";
import { t } from "./texts.js";

const table = document.querySelector<HTMLTableElement>("body.table table.rows-and-columns");
const form = document.querySelector<HTMLFormElement>("form[data-columns]");
let layout = storedLayout();

function change(changed: Layout): void {
  layout = changed;
  storeLayout(layout);
  if (table) applyLayout(table, layout);
}

if (table) {
  const isUsed = layout.frozen !== 1 || Object.keys(layout.widths).length > 0;
  if (isUsed) applyLayout(table, layout);
  addHandles(table, (column, width) => {
    const { [column]: _before, ...others } = layout.widths;
    change({ ...layout, widths: width === null ? others : { ...others, [column]: width } });
  });
}

if (form) {
  const list = form.querySelector<HTMLElement>(".column-list");
  if (list) {
    sortableList(list);
    addColumnTools(list);
  }
  const density = choice(
    t("script.layout.rows"),
    DENSITIES.map((one) => [one, t(`script.layout.${one}`)]),
    storedDensity(),
  );
  density.list.addEventListener("change", () => {
    const chosen = DENSITIES.find((one) => one === density.list.value) ?? "normal";
    storeDensity(chosen);
    document.documentElement.dataset["density"] = chosen;
  });
  const frozen = choice(
    t("script.layout.frozen"),
    ["0", "1", "2", "3", "4"].map((one) => [one, one]),
    String(layout.frozen),
  );
  frozen.list.addEventListener("change", () => change({ ...layout, frozen: Number(frozen.list.value) }));
  const reset = button(t("script.layout.reset"), () => change({ ...layout, widths: {} }), { class: "quiet" });
  form.append(element("p", { class: "buttons" }, density.label, frozen.label, reset));
  keepShort(form);
}

/** All columns in their order need no argument, and neither does the number of rows that is not changed. */
function keepShort(columns: HTMLFormElement): void {
  const boxes = (): HTMLInputElement[] => [...columns.querySelectorAll<HTMLInputElement>("input[name=_col]")];
  const size = columns.querySelector<HTMLSelectElement>("select[name=_size]");
  const [before, sizeBefore] = [
    boxes()
      .map(({ value }) => value)
      .join("\n"),
    size?.value,
  ];
  const hadChoice = /[?&]_(?:col|nocol)=/.test(location.search);
  const hadSize = /[?&]_size=/.test(location.search);
  columns.addEventListener("formdata", ({ formData }) => {
    const all = boxes();
    const isWhole =
      all.length > 0 &&
      all.every(({ checked }) => checked) &&
      all.map(({ value }) => value).join("\n") === before;
    if (isWhole && !hadChoice) formData.delete("_col");
    if (size && !hadSize && size.value === sizeBefore) formData.delete("_size");
  });
}

/** A labelled menu. */
function choice(
  title: string,
  options: readonly (readonly [value: string, text: string])[],
  chosen: string,
): { readonly label: HTMLLabelElement; readonly list: HTMLSelectElement } {
  const list = element(
    "select",
    {},
    ...options.map(([value, text]) => new Option(text, value, false, value === chosen)),
  );
  return { label: element("label", {}, `${title} `, list), list };
}
