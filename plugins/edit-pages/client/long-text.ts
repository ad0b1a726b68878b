import { textDirection } from "./text-direction.js";

/**
 * Keeps a field fast when a long text is pasted into it: the direction is known before the text is inserted, and all
 * lines are inserted at once. Ctrl+Z does not undo such a paste.
 */
export function acceptLongTexts(field: HTMLTextAreaElement): void {
  field.addEventListener("input", () => (field.dir = textDirection(field.value)));
  field.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    const direction = textDirection(text);
    if (direction === "auto") return;
    event.preventDefault();
    field.dir = direction;
    field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
}
