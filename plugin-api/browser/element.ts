type Attributes = Readonly<Record<string, string | boolean>>;

/**
 * Makes an element with attributes and content. An attribute that is `false` is left out, `true` is empty. Texts are
 * never read as markup.
 *
 * @example
 * element("p", { class: "hint", hidden: true }, "Mean: ", element("strong", {}, "3.5"));
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...content: readonly (Node | string | null)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== false) made.setAttribute(name, value === true ? "" : value);
  made.append(...content.filter((one) => one !== null));
  return made;
}

/**
 * Makes a button that calls a function, and sends no form.
 *
 * @example
 * button("Close", () => panel.remove(), { class: "quiet" });
 */
export function button(label: string, act: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = element("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", act);
  return made;
}
