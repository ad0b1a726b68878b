import { button, counted, el } from "../dom.js";
import { ConnectionLost, Refused } from "../send/api.js";
import type { Outcome } from "../send/run-import.js";
import { undo, type Imported } from "../send/undo.js";

/** The end of an import. */
export interface Finished extends Imported {
  readonly outcome: Outcome;
  readonly seconds: number;
  readonly mayUndo: boolean;
  readonly placeName: string;
  /** True if each part was stored before the next one was sent. */
  readonly inParts: boolean;
}

/** What has happened, with links to the rows and Undo. */
export function finishPanel(finished: Finished, onAgain: () => void): HTMLElement {
  const { outcome, tableUrl, mayUndo } = finished;
  const isGood = outcome.end === "done";
  const message = el("div", { class: isGood ? "message" : "message-error" }, ...messagesOf(finished));
  const buttons = el("p", { class: "buttons" });
  if (outcome.stored > 0 || finished.isNewTable)
    buttons.append(el("a", { class: "button", href: rowsHref(finished) }, "Show the rows"));
  else buttons.append(el("a", { class: "button quiet", href: tableUrl }, "Show the table"));
  if (mayUndo && outcome.stored > 0) buttons.append(undoButton(finished, message, buttons));
  buttons.append(button(isGood ? "Import another file" : "Change and try again", onAgain, "quiet"));
  return el("div", {}, message, buttons);
}

const line = (text: string): HTMLElement => el("p", {}, text);

function messagesOf(finished: Finished): readonly HTMLElement[] {
  const { outcome, seconds, table, placeName } = finished;
  const { end, stored, skipped, errors } = outcome;
  const leftOut = skipped === 0 ? [] : [line(`${counted(skipped, "row")} of the file left out.`)];
  if (end === "done")
    return [line(`${counted(stored, "row")} imported into ${table} in ${duration(seconds)}.`), ...leftOut];
  if (end === "cancelled") return [line(`Cancelled. ${storedText(finished)}`)];
  if (end === "lost") return [line(lostText(finished))];
  const [first, last] = outcome.failed ?? [];
  const where =
    finished.inParts && first !== undefined
      ? ` Stopped in ${placeName.toLowerCase()}s ${first} to ${last}, of which none are stored.`
      : "";
  return [
    line(`${storedText(finished)}${where}`),
    el("ul", {}, ...errors.slice(0, 10).map((error) => el("li", { dir: "auto" }, error))),
  ];
}

const storedText = ({ outcome: { stored }, table }: Finished): string =>
  stored === 0 ? "Nothing was imported." : `${counted(stored, "row")} are in ${table}.`;

function lostText(finished: Finished): string {
  const [first, last] = finished.outcome.failed ?? [];
  const which =
    finished.inParts && first !== undefined
      ? `${finished.placeName.toLowerCase()}s ${first} to ${last}`
      : "the rows";
  return (
    `The connection was lost. ${finished.inParts ? storedText(finished) : ""} ` +
    `The server may have stored ${which} before it was lost, all of them or none: look at the table.`
  );
}

const duration = (seconds: number): string =>
  seconds < 1
    ? "less than a second"
    : seconds < 90
      ? `${Math.round(seconds)} s`
      : `${Math.round(seconds / 60)} min`;

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
        (share) => (undoing.textContent = `Undo ${Math.round(share * 100)}%`),
      );
      message.className = "message";
      message.replaceChildren(line(undoneText(finished, count)));
      buttons.querySelector("a")?.remove();
      undoing.remove();
    } catch (error) {
      message.className = "message-error";
      message.replaceChildren(line(failureText(error)));
      undoing.disabled = false;
      undoing.textContent = "Undo";
    }
  };
  const undoing = button("Undo", () => void takeBack(), "quiet");
  return undoing;
}

function undoneText({ table, outcome: { stored } }: Finished, count: number | null): string {
  if (count === null) return `Undone: the table ${table} was dropped.`;
  const missing = stored - count;
  const note = missing > 0 ? ` ${counted(missing, "row")} had been deleted before.` : "";
  return `Undone: ${counted(count, "row")} deleted from ${table}.${note}`;
}

function failureText(error: unknown): string {
  if (error instanceof Refused) return `This could not be undone completely: ${error.message}`;
  if (error instanceof ConnectionLost)
    return "The connection was lost. Some of the rows may be deleted; try again, it deletes the others.";
  throw error;
}
