/** Ctrl+Enter saves a form, and leaving the page asks if something that was typed would be lost. */
export function guardForm(form: HTMLFormElement): void {
  let isDirty = false;
  form.addEventListener("input", () => (isDirty = true));
  form.addEventListener("submit", () => (isDirty = false));
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  addEventListener("beforeunload", (event) => {
    if (isDirty) event.preventDefault();
  });
}
