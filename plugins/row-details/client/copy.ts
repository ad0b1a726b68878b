import { button, copyText } from "rowhouse/browser";
import { t } from "./texts.js";

let loading: Promise<string> | null = null;

/** The document of the row as text, loaded once. */
const documentText = (): Promise<string> => (loading ??= fetchText());

async function fetchText(): Promise<string> {
  const address = new URL(document.querySelector<HTMLLinkElement>('link[rel="alternate"]')?.href ?? "");
  address.searchParams.set("_shape", "objects");
  const response = await fetch(address);
  if (!response.ok) throw new Error(response.statusText);
  return response.text();
}

/**
 * A button that copies the value of a column as it is stored, and says so. The style sheet writes its text, so that the
 * text of the cell is the value alone.
 */
export function copyButton(column: string): HTMLButtonElement {
  const copy = (): void =>
    void valueOf(column)
      .then(copyText)
      .then(
        () => say(made, "copied", column),
        () => say(made, "failed", column),
      )
      .then(() => setTimeout(() => say(made, "ready", column), SHOWN_MS));
  const made = button("", copy, { class: "quiet copy" });
  say(made, "ready", column);
  return made;
}

const exact = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === "number" ? (context?.source ?? String(value)) : value;

/** The value as text. Numbers keep the digits of the document, which JavaScript would round. */
async function valueOf(column: string): Promise<string> {
  const text = await documentText();
  const { rows } = JSON.parse(text, exact) as { readonly rows: readonly Readonly<Record<string, unknown>>[] };
  const value = rows[0]?.[column] ?? "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** How long the outcome is shown. */
const SHOWN_MS = 2000;

type State = "ready" | "copied" | "failed";

function say(made: HTMLButtonElement, state: State, column: string): void {
  const text = textOf(state);
  made.dataset["state"] = state;
  made.dataset["text"] = text;
  made.setAttribute("aria-label", `${text} ${column}`);
}

function textOf(state: State): string {
  if (state === "copied") return t("script.row.copied");
  return state === "failed" ? t("script.row.not_copied") : t("script.row.copy");
}
