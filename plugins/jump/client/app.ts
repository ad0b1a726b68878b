/** Opens the jump menu: by its button, by `/` outside of fields, by Ctrl+K everywhere. */
import { JumpDialog } from "./jump-dialog.js";

const button = document.querySelector<HTMLAnchorElement>("a[data-jump]");

if (button) {
  const dialog = new JumpDialog(button.dataset["jump"] ?? button.href);
  button.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    dialog.open();
  });
  document.addEventListener("keydown", (event) => {
    if (!opens(event)) return;
    event.preventDefault();
    dialog.open();
  });
}

function opens(event: KeyboardEvent): boolean {
  if (event.key === "k" && (event.ctrlKey || event.metaKey) && !event.altKey) return true;
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return false;
  // The target of events in an editor inside a shadow root is the element around the editor.
  return !isTyping(event.composedPath()[0] ?? null);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));
