import { sqlTokens } from "./sql-tokens.js";
import { KEYWORDS } from "./sql-words.js";

const keywords: ReadonlySet<string> = new Set(KEYWORDS);

// Painting is done for each key pressed; what is longer stays black.
const MOST_COLOURED = 50_000;

/** The coloured text lies under the text area, whose own letters become see-through. */
export function addColours(field: HTMLTextAreaElement): void {
  const frame = document.createElement("div");
  frame.className = "sql-frame";
  const coloured = document.createElement("pre");
  coloured.className = "sql-coloured";
  coloured.setAttribute("aria-hidden", "true");
  field.replaceWith(frame);
  frame.append(coloured, field);
  const paint = (): void => {
    const tokens = field.value.length > MOST_COLOURED ? [] : sqlTokens(field.value);
    field.classList.toggle("is-coloured", tokens.length > 0);
    // A last line that is empty has no height of its own.
    coloured.replaceChildren(...tokens.map(tokenNode), "\n ");
    coloured.scrollTop = field.scrollTop;
  };
  field.addEventListener("input", paint);
  field.addEventListener("scroll", () => (coloured.scrollTop = field.scrollTop));
  paint();
}

function tokenNode({ kind, text }: { readonly kind: string; readonly text: string }): Node | string {
  const shown = kind === "word" && keywords.has(text.toLowerCase()) ? "keyword" : kind;
  if (shown === "space" || shown === "word" || shown === "symbol") return text;
  const span = document.createElement("span");
  span.className = `sql-${shown}`;
  span.textContent = text;
  return span;
}
