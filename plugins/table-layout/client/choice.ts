/** A labelled menu. */
export function choice(
  title: string,
  options: readonly (readonly [value: string, text: string])[],
  chosen: string,
): { readonly label: HTMLLabelElement; readonly list: HTMLSelectElement } {
  const label = document.createElement("label");
  const list = document.createElement("select");
  list.append(...options.map(([value, text]) => new Option(text, value, false, value === chosen)));
  label.append(`${title} `, list);
  return { label, list };
}
