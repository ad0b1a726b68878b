import { element } from "rowhouse/browser";

/** A menu with a name for screen readers. */
export function menu(
  options: readonly (readonly [value: string, label: string])[],
  chosen: string,
  attributes: Readonly<Record<string, string | boolean>> = {},
): HTMLSelectElement {
  const made = element("select", attributes);
  made.append(...options.map(([value, label]) => new Option(label, value, false, value === chosen)));
  return made;
}

let lastId = 0;

/** A control below its label. */
export function field(label: string, control: HTMLElement): HTMLElement {
  lastId += 1;
  control.id = `import-control-${lastId}`;
  return element("p", { class: "field" }, element("label", { for: control.id }, label), control);
}

/** A check box before its label. */
export function checkbox(
  label: string,
  isChecked: boolean,
): { readonly line: HTMLElement; readonly box: HTMLInputElement } {
  const box = element("input", { type: "checkbox" });
  box.checked = isChecked;
  return { box, line: element("p", { class: "import-check" }, element("label", {}, box, ` ${label}`)) };
}
