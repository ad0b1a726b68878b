import { element, sqlTokens } from "rowhouse/browser";
import { keywordsFor } from "./sql-words.js";

// The colours are drawn again after each key. Longer texts stay black.
const MAX_COLOURED_LENGTH = 50_000;

/** Shows coloured text below the text area, whose own letters become transparent. */
export function addColours(field: HTMLTextAreaElement): void {
  const frame = element("div", { class: "sql-frame" });
  const coloured = element("pre", { class: "sql-coloured", "aria-hidden": "true" });
  field.replaceWith(frame);
  frame.append(coloured, field);
  const keywords: ReadonlySet<string> = new Set(keywordsFor(field));
  const paint = (): void => {
    // The editor shows the text.
    if (frame.classList.contains("has-editor")) return;
    const tokens = field.value.length > MAX_COLOURED_LENGTH ? [] : sqlTokens(field.value);
    field.classList.toggle("is-coloured", tokens.length > 0);
    // An empty last line would have no height.
    coloured.replaceChildren(...tokens.map((token) => tokenNode(token, keywords)), "\n ");
    coloured.scrollTop = field.scrollTop;
  };
  field.addEventListener("input", paint);
  field.addEventListener("scroll", () => (coloured.scrollTop = field.scrollTop));
  paint();
}

/** Kinds of tokens without a colour of their own. */
const PLAIN: ReadonlySet<string> = new Set(["space", "word", "symbol"]);

function tokenNode(
  { kind, text }: { readonly kind: string; readonly text: string },
  keywords: ReadonlySet<string>,
): Node | string {
  const shown = kind === "word" && keywords.has(text.toLowerCase()) ? "keyword" : kind;
  if (PLAIN.has(shown)) return text;
  return element("span", { class: `sql-${shown === "blob" ? "text" : shown}` }, text);
}
