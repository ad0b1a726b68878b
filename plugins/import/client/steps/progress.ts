import { button, counted, el } from "../dom.js";
import type { Progress } from "../send/run-import.js";

/** The bar of a running import, with a button that cancels it. */
export interface ProgressPanel {
  readonly element: HTMLElement;
  show(progress: Progress): void;
}

/** @param inParts true if each part is stored before the next one is sent */
export function progressPanel(
  { total, inParts }: { readonly total: number; readonly inParts: boolean },
  onCancel: () => void,
): ProgressPanel {
  const bar = el("progress", { max: "1", value: "0", "aria-label": "Progress of the import" });
  const text = el("p", { class: "figures" }, "Preparing…");
  const note = el("p", { class: "hint" });
  const cancel = button("Cancel", onCancel, "quiet");
  note.textContent = inParts
    ? "Cancel stops behind the rows that are being stored, and says how many are."
    : "Cancel imports nothing.";
  return {
    element: el("div", { class: "import-progress" }, text, bar, note, el("p", { class: "buttons" }, cancel)),
    show({ phase, prepared, stored, share }) {
      if (inParts) {
        bar.value = stored / Math.max(1, total);
        text.textContent = `${stored.toLocaleString("en")} of ${counted(total, "row")} imported`;
        return;
      }
      if (phase === "preparing") {
        bar.value = (prepared / Math.max(1, total)) * 0.4;
        text.textContent = `Preparing ${prepared.toLocaleString("en")} of ${counted(total, "row")}`;
      } else if (phase === "sending") {
        bar.value = 0.4 + share * 0.4;
        text.textContent = `Sending ${counted(prepared, "row")}: ${Math.round(share * 100)}%`;
      } else {
        // The server writes all rows in one transaction, and says nothing until its end.
        bar.removeAttribute("value");
        text.textContent = `The server is storing ${counted(prepared, "row")}…`;
        note.textContent = "It can no longer be cancelled. Undo is offered at the end.";
        cancel.disabled = true;
      }
    },
  };
}
