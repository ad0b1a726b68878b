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
  const dialog = document.createElement("dialog");
  dialog.className = "edit-dialog";
  dialog.setAttribute("aria-labelledby", "edit-dialog-title");
  const form = document.createElement("form");
  form.method = "dialog";
  const heading = document.createElement("h2");
  heading.id = "edit-dialog-title";
  heading.textContent = title;
  const content = document.createElement("div");
  const error = document.createElement("p");
  error.className = "message message-error";
  error.setAttribute("role", "alert");
  error.hidden = true;
  const send = button(submit, isDangerous ? "danger" : "");
  send.type = "submit";
  const cancel = button(t("script.cancel"), "quiet");
  cancel.addEventListener("click", () => dialog.close());
  const buttons = document.createElement("p");
  buttons.className = "buttons";
  buttons.append(send, cancel);
  form.append(heading, content, error, buttons);
  dialog.append(form);
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

function button(label: string, className: string): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = className;
  made.textContent = label;
  return made;
}
