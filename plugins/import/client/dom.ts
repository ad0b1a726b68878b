import { element } from "rowhouse/browser";

/** Lines of hundreds of columns would have a hundred thousand options. */
const MOST_OPTIONS = 50;

/** A menu. A long one has its first, its last and the chosen option until it is used. */
export function menu(
  options: readonly (readonly [value: string, label: string])[],
  chosen: string,
  attributes: Readonly<Record<string, string | boolean>> = {},
): HTMLSelectElement {
  const made = element("select", attributes);
  const fill = (shown: typeof options, selected: string): void =>
    made.replaceChildren(
      ...shown.map(([value, label]) => new Option(label, value, false, value === selected)),
    );
  if (options.length <= MOST_OPTIONS) {
    fill(options, chosen);
    return made;
  }
  fill(
    options.filter(([value], place) => place === 0 || place === options.length - 1 || value === chosen),
    chosen,
  );
  const complete = (): void => {
    if (made.length < options.length) fill(options, made.value);
  };
  made.addEventListener("pointerdown", complete);
  made.addEventListener("focus", complete);
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
