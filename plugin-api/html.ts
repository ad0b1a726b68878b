/** Finished markup. Only `html` and `raw` make it. */
export class Html {
  constructor(readonly markup: string) {}
  toString(): string {
    return this.markup;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const SPECIAL = /[&<>"']/g;
const HAS_SPECIAL = /[&<>"']/;

/** Text made safe for element content and quoted attributes. */
export const escapeHtml = (text: string): string =>
  // Most text has nothing to escape, and looking is cheaper than replacing.
  HAS_SPECIAL.test(text) ? text.replace(SPECIAL, (character) => ESCAPES[character] ?? "") : text;

/** Markup with every value escaped, except `Html`; arrays are joined, null, undefined and false vanish. */
export function html(strings: TemplateStringsArray, ...values: readonly unknown[]): Html {
  let markup = strings[0] ?? "";
  values.forEach((value, index) => {
    markup += markupOf(value) + (strings[index + 1] ?? "");
  });
  return new Html(markup);
}

/** Takes `markup` as it is. Each use needs a line above it that says why it is safe. */
export const raw = (markup: string): Html => new Html(markup);

function markupOf(value: unknown): string {
  if (value instanceof Html) return value.markup;
  if (value === null || value === undefined || value === false) return "";
  if (Array.isArray(value)) return value.map(markupOf).join("");
  return escapeHtml(String(value));
}
