/** Ctrl+Enter saves a form, and leaving the page asks if something that was typed would be lost. */
export function guardForm(form: HTMLFormElement): void {
  // A form that came back with errors or a conflict is not saved either.
  let isDirty = form.querySelector(".field-note, .compared") !== null;
  form.addEventListener("input", ({ target }) => {
    // A chosen file is sent at once.
    if (!(target instanceof Element && target.closest("[data-import]"))) isDirty = true;
  });
  form.addEventListener("submit", () => (isDirty = false));
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  addEventListener("beforeunload", (event) => {
    if (isDirty) event.preventDefault();
  });
  form.addEventListener("click", ({ target }) => {
    const taken = target instanceof HTMLElement ? target.closest<HTMLElement>("[data-take]") : null;
    if (taken === null) return;
    const field = form.querySelector<HTMLInputElement>(`#${taken.dataset["take"] ?? ""}`);
    if (!field) return;
    field.value = taken.dataset["value"] ?? "";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
  });
}
