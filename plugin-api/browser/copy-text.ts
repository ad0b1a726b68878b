/** Puts a text on the clipboard. @throws Error if the browser forbids it */
export async function copyText(text: string): Promise<void> {
  // Pages that are not sent over HTTPS have no clipboard object.
  if ("clipboard" in navigator) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "visually-hidden";
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  if (!isCopied) throw new Error("The browser does not allow copying");
}
