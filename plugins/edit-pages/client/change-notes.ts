import { element } from "rowhouse/browser";
import type { OtherChange } from "./selected-rows.js";
import { t } from "./texts.js";

const MOST_SHOWN = 8;

/** What other clients have changed in selected rows, in the dialog that changes or deletes these. */
export class ChangeNotes {
  readonly element = element("div", { class: "change-notes", role: "status" });
  readonly #includes = element("input", { type: "checkbox" });
  /** Called when the visitor chooses whether conflicting rows are written too. */
  onChoice: (includesConflicts: boolean) => void | Promise<void> = () => {};
  #conflicts: readonly OtherChange[] = [];

  /** @param choice the text of the box that includes conflicting rows */
  constructor(private readonly choice: string) {
    this.#includes.addEventListener("change", () => void this.onChoice(this.#includes.checked));
  }

  get includesConflicts(): boolean {
    return this.#includes.checked;
  }

  /** Changes since the page was loaded: the page shows them now. */
  showEarlier(changes: readonly OtherChange[]): void {
    if (changes.length === 0) return;
    this.element.replaceChildren(element("p", {}, t("script.earlier_changes")), listOf(changes));
  }

  /** Changes because of which rows are left out, unless the visitor includes them. */
  showConflicts(changes: readonly OtherChange[]): void {
    this.#includes.checked = false;
    this.#conflicts = [...this.#conflicts, ...changes];
    const label = element("label", {}, this.#includes, ` ${this.choice}`);
    this.element.replaceChildren(
      element("p", {}, t("script.left_out")),
      listOf(this.#conflicts),
      ...(this.#conflicts.some((change) => !isDeletion(change)) ? [label] : []),
    );
  }
}

const isDeletion = (change: OtherChange): boolean => "gone" in change && change.gone === "deleted";

function listOf(changes: readonly OtherChange[]): HTMLElement {
  const more = changes.length - MOST_SHOWN;
  const last = more > 0 ? element("li", {}, t("script.and_more", { count: more })) : null;
  return element("ul", {}, ...changes.slice(0, MOST_SHOWN).map(lineOf), last);
}

function lineOf(change: OtherChange): HTMLElement {
  const line = element("li", { dir: "auto" });
  const { row } = change;
  if (!("gone" in change))
    line.append(
      `${t("script.row_and_column", { row, column: change.column })} `,
      element("del", {}, change.before || t("script.empty")),
      " ",
      element("ins", {}, change.now || t("script.empty")),
    );
  else if (change.gone === "deleted") line.append(t("script.row_was_deleted", { row }));
  else line.append(t("script.row_left_page", { row }));
  return line;
}
