import { button, element } from "rowhouse/browser";
import type { Progress } from "../send/run-import.js";
import { t } from "../texts.js";

/** The bar of a running import, with a button that cancels it. */
export interface ProgressPanel {
  readonly element: HTMLElement;
  show(progress: Progress): void;
  /** Says that the connection is lost. @returns false if the user gives up */
  askAboutLost(): Promise<boolean>;
}

/** @param inParts true if each part is stored before the next one is sent */
export function progressPanel(
  { total, inParts }: { readonly total: number; readonly inParts: boolean },
  onCancel: () => void,
): ProgressPanel {
  const bar = element("progress", { max: "1", value: "0", "aria-label": t("script.import.progress") });
  const text = element("p", { class: "figures" }, t("script.import.begins"));
  const note = element("p", { class: "hint" });
  const cancel = button(t("script.import.cancel"), onCancel, { class: "quiet" });
  note.textContent = inParts ? t("script.import.cancel_in_parts") : t("script.import.cancel_all");
  const buttons = element("p", { class: "buttons" }, cancel);
  return {
    element: element("div", { class: "import-progress" }, text, bar, note, buttons),
    askAboutLost: () => askInsteadOf(buttons),
    show({ phase, prepared, stored, share }) {
      if (phase === "again") {
        text.textContent = t("script.import.sent_again");
        note.textContent = t("script.import.stored_once");
        return;
      }
      if (inParts) {
        bar.value = stored / Math.max(1, total);
        text.textContent = t("script.import.imported_of", { done: stored, count: total });
        return;
      }
      if (phase === "preparing") {
        bar.value = (prepared / Math.max(1, total)) * 0.4;
        text.textContent = t("script.import.prepared_of", { done: prepared, count: total });
      } else if (phase === "sending") {
        bar.value = 0.4 + share * 0.4;
        const percent = Math.round(share * 100);
        text.textContent = t("script.import.sending", { count: prepared, percent });
      } else {
        // The server writes all rows in one transaction, and says nothing until its end.
        bar.removeAttribute("value");
        text.textContent = t("script.import.storing", { count: prepared });
        note.textContent = t("script.import.no_cancel");
        cancel.disabled = true;
      }
    },
  };
}

/** Asks whether the import is tried again, with other buttons in this place. */
function askInsteadOf(buttons: HTMLElement): Promise<boolean> {
  return new Promise((resolve) => {
    const answer = (again: boolean): void => {
      asked.remove();
      buttons.hidden = false;
      resolve(again);
    };
    const again = button(t("script.import.try_again"), () => answer(true));
    const giveUp = button(t("script.import.give_up"), () => answer(false), { class: "quiet" });
    const asked = element(
      "div",
      { class: "message-error", role: "alert" },
      element("p", {}, t("script.import.still_lost")),
      element("p", { class: "buttons" }, again, giveUp),
    );
    buttons.hidden = true;
    buttons.before(asked);
    again.focus();
  });
}
