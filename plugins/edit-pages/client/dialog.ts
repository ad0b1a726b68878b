import { button, element } from "rowhouse/browser";
import { t } from "./texts.js";
import { messageOf } from "./undo.js";

/** A form in a dialog, over the page. */
export interface FormDialog {
  readonly dialog: HTMLDialogElement;
  readonly form: HTMLFormElement;
  /** The place of the content. */
  readonly content: HTMLElement;
  readonly submit: HTMLButtonElement;
  /** Shows an error, which screen readers read. */
  fail(text: string): void;
}

/** What a dialog asks. */
export interface Asked {
  readonly title: string;
  readonly submit: string;
  readonly isDangerous?: boolean;
  /** Called at each submission; the dialog closes if it returns. Errors that it throws are shown. */
  save(): Promise<void>;
}

/** Opens a dialog. Escape and "Cancel" close it; Ctrl+Enter submits it. */
export function openDialog({ title, submit, isDangerous = false, save }: Asked): FormDialog {
  const content = element("div");
  const error = element("p", { class: "message message-error", role: "alert", hidden: true });
  const send = element("button", { type: "submit", class: isDangerous && "danger" }, submit);
  const cancel = button(t("script.cancel"), () => dialog.close(), { class: "quiet" });
  const form = element(
    "form",
    { method: "dialog" },
    element("h2", { id: "edit-dialog-title" }, title),
    content,
    error,
    element("p", { class: "buttons" }, send, cancel),
  );
  const dialog = element("dialog", { class: "edit-dialog", "aria-labelledby": "edit-dialog-title" }, form);
  const fail = (text: string): void => {
    error.textContent = text;
    error.hidden = text === "";
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send.disabled = true;
    fail("");
    save()
      .then(
        () => dialog.close(),
        (error: unknown) => fail(messageOf(error)),
      )
      .finally(() => (send.disabled = false));
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit(send);
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    // The button that has opened it may be gone with the rows.
    if (document.activeElement === document.body)
      document.querySelector<HTMLElement>(".toast button")?.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  return { dialog, form, content, submit: send, fail };
}
