import { button, element } from "rowhouse/browser";
import type { PlaceName } from "../message.js";
import { ConnectionLost, Refused } from "../send/api.js";
import type { Outcome } from "../send/run-import.js";
import { undo, type Imported } from "../send/undo.js";
import { rangeText, t } from "../texts.js";

/** The end of an import. */
export interface Finished extends Imported {
  readonly outcome: Outcome;
  readonly seconds: number;
  readonly mayUndo: boolean;
  readonly placeName: PlaceName;
  /** True if each part was stored before the next one was sent. */
  readonly inParts: boolean;
}

/** What has happened, with links to the rows and Undo. */
export function finishPanel(finished: Finished, onAgain: () => void): HTMLElement {
  const { outcome, tableUrl, isNewTable } = finished;
  const mayUndo = finished.mayUndo && (isNewTable || finished.keys.areComplete);
  const isGood = outcome.end === "done";
  const message = element("div", { class: isGood ? "message" : "message-error" }, ...messagesOf(finished));
  const buttons = element("p", { class: "buttons" });
  if (outcome.stored > 0 || isNewTable)
    buttons.append(element("a", { class: "button", href: rowsHref(finished) }, t("script.import.show_rows")));
  else buttons.append(element("a", { class: "button quiet", href: tableUrl }, t("script.import.show_table")));
  if (mayUndo && outcome.stored > 0) buttons.append(undoButton(finished, message, buttons));
  const again = isGood ? t("script.import.another_file") : t("script.import.change");
  buttons.append(button(again, onAgain, { class: "quiet" }));
  return element("div", {}, message, buttons);
}

const line = (text: string): HTMLElement => element("p", {}, text);

function messagesOf(finished: Finished): readonly HTMLElement[] {
  const { outcome, seconds, table, placeName } = finished;
  const { end, stored, skipped, errors } = outcome;
  const leftOut = skipped === 0 ? [] : [line(t("script.import.left_out", { count: skipped }))];
  if (end === "done") {
    const facts = { count: stored, table, duration: duration(seconds) };
    return [line(t("script.import.done", facts)), ...leftOut];
  }
  if (end === "cancelled") return [line(t("script.import.cancelled", { what: storedText(finished) }))];
  if (end === "lost") return [line(lostText(finished))];
  if (end === "unreadable") return [line(storedText(finished)), line(t("script.import.unreadable"))];
  const where =
    finished.inParts && outcome.failed !== null
      ? ` ${t("script.import.stopped_in", { range: rangeText(placeName, outcome.failed) })}`
      : "";
  return [
    line(`${storedText(finished)}${where}`),
    element(
      "ul",
      {},
      ...errors.slice(0, 10).map((error) => element("li", { dir: "auto", lang: "en" }, error)),
    ),
  ];
}

const storedText = ({ outcome: { stored }, table }: Finished): string =>
  stored === 0 ? t("script.import.nothing") : t("script.import.stored", { count: stored, table });

function lostText(finished: Finished): string {
  const { inParts, placeName, outcome } = finished;
  const maybe =
    inParts && outcome.failed !== null
      ? t("script.import.lost_range", { range: rangeText(placeName, outcome.failed) })
      : t("script.import.lost_rows");
  return [t("script.import.lost"), ...(inParts ? [storedText(finished)] : []), maybe].join(" ");
}

const duration = (seconds: number): string =>
  seconds < 1
    ? t("script.import.moment")
    : seconds < 90
      ? t("script.import.seconds", { count: Math.round(seconds) })
      : t("script.import.minutes", { count: Math.round(seconds / 60) });

/** The imported rows if their keys follow each other, otherwise the table. */
function rowsHref({ tableUrl, keys, keyColumns, isNewTable }: Finished): string {
  const [column = ""] = keyColumns;
  const { range } = keys;
  if (isNewTable || range === null || column === "rowid") return tableUrl;
  const filters = new URLSearchParams([
    [`${column}__gte`, range[0]],
    [`${column}__lte`, range[1]],
  ]);
  return `${tableUrl}?${filters}`;
}

function undoButton(finished: Finished, message: HTMLElement, buttons: HTMLElement): HTMLButtonElement {
  const takeBack = async (): Promise<void> => {
    undoing.disabled = true;
    try {
      const count = await undo(
        finished,
        (share) => (undoing.textContent = t("script.import.undoing", { percent: Math.round(share * 100) })),
      );
      message.className = "message";
      message.replaceChildren(line(undoneText(finished, count)));
      buttons.querySelector("a")?.remove();
      undoing.remove();
    } catch (error) {
      message.className = "message-error";
      message.replaceChildren(line(failureText(error)));
      undoing.disabled = false;
      undoing.textContent = t("script.import.undo");
    }
  };
  const undoing = button(t("script.import.undo"), () => void takeBack(), { class: "quiet" });
  return undoing;
}

function undoneText({ table, outcome: { stored } }: Finished, count: number | null): string {
  if (count === null) return t("script.import.table_dropped", { table });
  const missing = stored - count;
  const note = missing > 0 ? ` ${t("script.import.deleted_before", { count: missing })}` : "";
  return t("script.import.rows_deleted", { count, table }) + note;
}

function failureText(error: unknown): string {
  if (error instanceof Refused) return t("script.import.not_undone", { reason: error.message });
  if (error instanceof ConnectionLost) return t("script.import.lost_undoing");
  throw error;
}
