type Child = Node | string | null;

/** Makes an element with attributes and content. An attribute with `false` is left out, `true` is empty. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | boolean>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** A menu with a name for screen readers. */
export function menu(
  options: readonly (readonly [value: string, label: string])[],
  chosen: string,
  attributes: Readonly<Record<string, string | boolean>> = {},
): HTMLSelectElement {
  const made = el("select", attributes);
  made.append(...options.map(([value, label]) => new Option(label, value, false, value === chosen)));
  return made;
}

let lastId = 0;

/** A control below its label. */
export function field(label: string, control: HTMLElement, hint: string | null = null): HTMLElement {
  lastId += 1;
  control.id = `import-control-${lastId}`;
  if (hint !== null) control.setAttribute("aria-describedby", `${control.id}-hint`);
  return el(
    "p",
    { class: "field" },
    el("label", { for: control.id }, label),
    control,
    hint === null ? null : el("span", { class: "hint", id: `${control.id}-hint` }, hint),
  );
}

/** A check box before its label. */
export function checkbox(
  label: string,
  isChecked: boolean,
): { readonly line: HTMLElement; readonly box: HTMLInputElement } {
  const box = el("input", { type: "checkbox" });
  box.checked = isChecked;
  return { box, line: el("p", { class: "import-check" }, el("label", {}, box, ` ${label}`)) };
}

/** A button that calls a function. */
export function button(label: string, act: () => void, look = ""): HTMLButtonElement {
  const made = el("button", { type: "button", class: look }, label);
  made.addEventListener("click", act);
  return made;
}
