let toast: HTMLElement | null = null;

/** Shows a message below the rows, with a button that takes the change back. */
export function announce(text: string, undo: (() => void) | null = null): void {
  toast ??= document.body.appendChild(document.createElement("div"));
  toast.className = "toast message message-info";
  toast.setAttribute("role", "status");
  const close = button("Close", () => clear());
  close.className = "quiet";
  const actions = undo === null ? [close] : [button("Undo", undo), close];
  toast.replaceChildren(text, ...actions);
}

function clear(): void {
  toast?.remove();
  toast = null;
}

function button(label: string, act: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = label;
  made.addEventListener("click", act);
  return made;
}
