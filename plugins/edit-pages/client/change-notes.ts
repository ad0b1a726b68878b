import { element } from "./element.js";
import type { OtherChange } from "./selected-rows.js";
import { t } from "./texts.js";

const MOST_SHOWN = 8;

/** What other clients have changed in selected rows, in the dialog that changes or deletes these. */
export class ChangeNotes {
  readonly element = document.createElement("div");
  readonly #includes = document.createElement("input");
  /** Called when the visitor chooses whether conflicting rows are written too. */
  onChoice: (includesConflicts: boolean) => void | Promise<void> = () => {};
  #conflicts: readonly OtherChange[] = [];

  /** @param choice the text of the box that includes conflicting rows */
  constructor(private readonly choice: string) {
    this.element.className = "change-notes";
    this.element.setAttribute("role", "status");
    this.#includes.type = "checkbox";
    this.#includes.addEventListener("change", () => void this.onChoice(this.#includes.checked));
  }

  get includesConflicts(): boolean {
    return this.#includes.checked;
  }

  /** Changes since the page was loaded: the page shows them now. */
  showEarlier(changes: readonly OtherChange[]): void {
    if (changes.length === 0) return;
    this.element.replaceChildren(element("p", t("script.earlier_changes")), listOf(changes));
  }

  /** Changes because of which rows are left out, unless the visitor includes them. */
  showConflicts(changes: readonly OtherChange[]): void {
    this.#includes.checked = false;
    this.#conflicts = [...this.#conflicts, ...changes];
    const label = document.createElement("label");
    label.append(this.#includes, ` ${this.choice}`);
    this.element.replaceChildren(
      element("p", t("script.left_out")),
      listOf(this.#conflicts),
      ...(this.#conflicts.some((change) => !isDeletion(change)) ? [label] : []),
    );
  }
}

const isDeletion = (change: OtherChange): boolean => "gone" in change && change.gone === "deleted";

function listOf(changes: readonly OtherChange[]): HTMLElement {
  const list = document.createElement("ul");
  const more = changes.length - MOST_SHOWN;
  list.append(...changes.slice(0, MOST_SHOWN).map(lineOf));
  if (more > 0) list.append(element("li", t("script.and_more", { count: more })));
  return list;
}

function lineOf(change: OtherChange): HTMLElement {
  const line = document.createElement("li");
  line.dir = "auto";
  const { row } = change;
  if (!("gone" in change))
    line.append(
      `${t("script.row_and_column", { row, column: change.column })} `,
      element("del", change.before || t("script.empty")),
      " ",
      element("ins", change.now || t("script.empty")),
    );
  else if (change.gone === "deleted") line.append(t("script.row_was_deleted", { row }));
  else line.append(t("script.row_left_page", { row }));
  return line;
}
