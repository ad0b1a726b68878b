import { CompletionList } from "./sql-completion.js";
import { formatSql } from "./sql-format.js";
import { KEYWORDS, sqlTokens } from "./sql-tokens.js";

// Painting is done for each key pressed; what is longer stays black.
const MOST_COLOURED = 50_000;

/** Adds colours, completion, a format button and Ctrl+Enter to the text area it is given, which stays the field. */
export function enrichSqlEditor(editor: HTMLTextAreaElement): void {
  addColours(editor);
  addFormatButton(editor);
  const completion = new CompletionList(editor, schemaOf(editor));
  editor.addEventListener("keydown", (event) => {
    if (completion.handles(event)) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) editor.form?.requestSubmit();
  });
}

/** Columns by table, as the page tells them. */
function schemaOf(editor: HTMLTextAreaElement): ReadonlyMap<string, readonly string[]> {
  try {
    return new Map(Object.entries(JSON.parse(editor.dataset["schema"] ?? "{}") as Record<string, string[]>));
  } catch {
    return new Map();
  }
}

/** The coloured text lies under the text area, whose own letters become see-through. */
function addColours(editor: HTMLTextAreaElement): void {
  const frame = document.createElement("div");
  frame.className = "sql-frame";
  const coloured = document.createElement("pre");
  coloured.className = "sql-coloured";
  coloured.setAttribute("aria-hidden", "true");
  editor.replaceWith(frame);
  frame.append(coloured, editor);
  const paint = (): void => {
    const tokens = editor.value.length > MOST_COLOURED ? [] : sqlTokens(editor.value);
    editor.classList.toggle("is-coloured", tokens.length > 0);
    // A last line that is empty has no height of its own.
    coloured.replaceChildren(...tokens.map(tokenNode), "\n ");
    coloured.scrollTop = editor.scrollTop;
  };
  editor.addEventListener("input", paint);
  editor.addEventListener("scroll", () => (coloured.scrollTop = editor.scrollTop));
  paint();
}

function tokenNode({ kind, text }: { readonly kind: string; readonly text: string }): Node | string {
  const shown = kind === "word" && KEYWORDS.has(text.toLowerCase()) ? "keyword" : kind;
  if (shown === "space" || shown === "word" || shown === "symbol") return text;
  const span = document.createElement("span");
  span.className = `sql-${shown}`;
  span.textContent = text;
  return span;
}

function addFormatButton(editor: HTMLTextAreaElement): void {
  const button = editor.form?.querySelector<HTMLButtonElement>("[data-format-sql]");
  if (!button) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    editor.value = formatSql(editor.value);
    editor.rows = Math.min(30, Math.max(4, editor.value.split("\n").length + 1));
    editor.dispatchEvent(new Event("input"));
    editor.focus();
  });
}
