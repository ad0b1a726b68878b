import { button, element } from "./element.js";
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
  const close = button(t("script.close"), () => clear(toast), { class: "quiet" });
  const buttons =
    takeBack === null ? [close] : [button(t("script.undo"), undoLast, { title: "Ctrl+Z" }), close];
  toast.replaceChildren(element("span", {}, text), ...buttons);
  takeLostFocus(buttons[0]);
}

/** What had the focus may be gone: a deleted row, a button of the last message. Tab would begin at the top of the page. */
function takeLostFocus(next: HTMLElement | null | undefined): void {
  const { activeElement } = document;
  const isLost =
    activeElement === null || activeElement === document.body || !activeElement.checkVisibility();
  if (isLost) next?.focus({ preventScroll: true });
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

/** Pages contain it empty, because screen readers read what changes in an element that was there before. */
function region(): HTMLElement {
  const there = document.querySelector<HTMLElement>(".toast");
  if (there !== null) return there;
  // A template of the site has left it out.
  return document.body.appendChild(element("div", { class: "toast message message-info", role: "status" }));
}

function clear(toast: HTMLElement): void {
  undo = null;
  toast.replaceChildren();
  takeLostFocus(document.querySelector<HTMLElement>(".rows-and-columns tbody :is(a[href], [tabindex='0'])"));
}
