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

const SPECIAL = /[&<>"']/;

/** By character code. */
const ENTITIES: readonly (string | undefined)[] = Object.assign([], {
  [34]: "&quot;",
  [38]: "&amp;",
  [39]: "&#39;",
  [60]: "&lt;",
  [62]: "&gt;",
});

/**
 * Escapes text for element content and quoted attributes.
 *
 * @example
 * escapeHtml("a < b"); // "a &lt; b"
 */
export function escapeHtml(text: string): string {
  // Most texts need no escaping. A loop is several times faster than a replacement with a function.
  if (!SPECIAL.test(text)) return text;
  if (text.length > PIECE_CHARACTERS) return [...escapedPieces(text)].join("");
  let escaped = "";
  let copied = 0;
  for (let at = 0; at < text.length; at += 1) {
    const entity = ENTITIES[text.charCodeAt(at)];
    if (entity === undefined) continue;
    escaped += text.slice(copied, at) + entity;
    copied = at + 1;
  }
  return escaped + text.slice(copied);
}

/** A loop needs memory for each special character, until the text is complete: a second of collection for 2 million. */
const PIECE_CHARACTERS = 8_192;

/**
 * A long text as `escapeHtml` escapes it, in pieces that take a fraction of a millisecond each.
 *
 * @example
 * [...escapedPieces("a < b")]; // ["a &lt; b"]
 */
export function* escapedPieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    yield text
      .slice(at, at + PIECE_CHARACTERS)
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      .replaceAll("'", "&#39;");
  }
}

/** What a template of {@link html} may contain: anything with a text, except a promise, which has to be awaited. */
export type HtmlValue =
  | null
  | undefined
  | readonly HtmlValue[]
  | { toString(): string; readonly then?: never };

/**
 * A template tag for markup. Values are escaped, except {@link Html}; arrays are joined; null, undefined and false become
 * empty text.
 *
 * @example
 * html`<p>${"a < b"}</p>`.markup; // "<p>a &lt; b</p>"
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
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

function markupOf(value: HtmlValue): string {
  if (value instanceof Html) return value.markup;
  if (value === null || value === undefined || value === false) return "";
  if (Array.isArray(value)) return value.map(markupOf).join("");
  return escapeHtml(String(value));
}
