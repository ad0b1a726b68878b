/**
 * Finished markup. Only `html` and `raw` make it.
 *
 * @example
 * html`<b>${"x"}</b>` instanceof Html; // true
 */
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

/**
 * Escapes text for element content and quoted attributes.
 *
 * @example
 * escapeHtml("a < b"); // "a &lt; b"
 */
export const escapeHtml = (text: string): string =>
  // Most texts need no escaping, and a test is faster than a replacement.
  HAS_SPECIAL.test(text) ? text.replace(SPECIAL, (character) => ESCAPES[character] ?? "") : text;

/**
 * A template tag for markup. Values are escaped, except {@link Html}; arrays are joined; null, undefined and false become
 * empty text.
 *
 * @example
 * html`<p>${"a < b"}</p>`.markup; // "<p>a &lt; b</p>"
 */
export function html(strings: TemplateStringsArray, ...values: readonly unknown[]): Html {
  let markup = strings[0] ?? "";
  values.forEach((value, index) => {
    markup += markupOf(value) + (strings[index + 1] ?? "");
  });
  return new Html(markup);
}

/**
 * Marks text as finished markup, without escaping. Add a comment to each use that says why it is safe.
 *
 * @example
 * html`<p>${raw("<b>finished</b>")}</p>`.markup; // "<p><b>finished</b></p>"
 */
export const raw = (markup: string): Html => new Html(markup);

function markupOf(value: unknown): string {
  if (value instanceof Html) return value.markup;
  if (value === null || value === undefined || value === false) return "";
  if (Array.isArray(value)) return value.map(markupOf).join("");
  return escapeHtml(String(value));
}
