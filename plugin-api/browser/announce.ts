import { scriptTexts } from "./texts.js";

const t = scriptTexts({ "script.close": "Close", "script.undo": "Undo" });

/** What the last announcement would take back; null if nothing. */
let undo: (() => void | Promise<void>) | null = null;

/**
 * Shows a message below the rows, which screen readers read.
 *
 * @param takeBack called by the button "Undo" of the message, and by Ctrl+Z
 * @example
 * announce("3 rows sent");
 */
export function announce(text: string, takeBack: (() => void | Promise<void>) | null = null): void {
  undo = takeBack;
  const toast = region();
  const close = button(t("script.close"), () => clear(toast));
  close.className = "quiet";
  const message = document.createElement("span");
  message.textContent = text;
  const buttons = takeBack === null ? [close] : [undoButton(), close];
  toast.replaceChildren(message, ...buttons);
  takeLostFocus(buttons[0]);
}

/** What had the focus may be gone: a deleted row, a button of the last message. Tab would begin at the top of the page. */
function takeLostFocus(element: HTMLElement | null | undefined): void {
  const { activeElement } = document;
  const isLost =
    activeElement === null || activeElement === document.body || !activeElement.checkVisibility();
  if (isLost) element?.focus({ preventScroll: true });
}

/** Takes back the last change that was announced. @returns false if there is none */
export function undoLast(): boolean {
  const takeBack = undo;
  undo = null;
  if (takeBack === null) return false;
  void Promise.resolve(takeBack()).catch((error: unknown) =>
    announce(error instanceof Error ? error.message : String(error)),
  );
  return true;
}

function undoButton(): HTMLButtonElement {
  const made = button(t("script.undo"), undoLast);
  made.title = "Ctrl+Z";
  return made;
}

/** Pages contain it empty, because screen readers read what changes in an element that was there before. */
function region(): HTMLElement {
  const there = document.querySelector<HTMLElement>(".toast");
  if (there !== null) return there;
  // A template of the site has left it out.
  const made = document.createElement("div");
  made.className = "toast message message-info";
  made.setAttribute("role", "status");
  return document.body.appendChild(made);
}

function clear(toast: HTMLElement): void {
  undo = null;
  toast.replaceChildren();
  takeLostFocus(document.querySelector<HTMLElement>(".rows-and-columns tbody :is(a[href], [tabindex='0'])"));
}

function button(label: string, act: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = label;
  made.addEventListener("click", act);
  return made;
}
