import { element } from "rowhouse/browser";
import type { PlannedCell, PlannedRow } from "./paste-plan.js";
import { rowCount } from "./undo.js";
import { t } from "./texts.js";

/** `6 values in 3 rows change, 2 rows are added, 1 row is refused.` */
export function summaryOf(planned: readonly PlannedRow[]): string {
  const changed = planned.filter(({ key, operation }) => key !== null && operation !== null);
  const values = changed.flatMap(({ cells }) => cells.filter(isChanged)).length;
  const added = planned.filter(({ key, operation }) => key === null && operation !== null).length;
  const refused = planned.filter(({ refusal }) => refusal !== null).length;
  const doubtful = planned.flatMap(({ cells, refusal }) =>
    refusal === null ? cells.filter(({ doubt }) => doubt !== null) : [],
  ).length;
  const parts = [
    ...(values === 0
      ? []
      : [
          t("script.values_change", {
            values: t("script.values", { count: values }),
            rows: rowCount(changed.length),
          }),
        ]),
    ...(added === 0 ? [] : [t("script.rows_added", { count: added })]),
    ...(doubtful === 0 ? [] : [t("script.values_misfit", { count: doubtful })]),
    ...(refused === 0 ? [] : [t("script.rows_refused", { count: refused })]),
  ];
  return parts.length === 0 ? t("script.no_change") : `${parts.join(", ")}.`;
}

const isChanged = ({ text, before }: PlannedCell): boolean => text !== before;

/** A table with a line for each row, the values before and after, and why something is refused. */
export function previewElement(planned: readonly PlannedRow[]): HTMLElement {
  const table = element("table");
  const widest = planned.reduce<readonly PlannedCell[]>(
    (most, { cells }) => (cells.length > most.length ? cells : most),
    [],
  );
  const head = table.createTHead().insertRow();
  head.append(
    ...[t("script.row_heading"), ...widest.map(({ column }) => column)].map((text) =>
      element("th", {}, text),
    ),
  );
  const body = table.createTBody();
  for (const row of planned) body.append(...linesOf(row, widest.length + 1));
  return element(
    "div",
    { class: "paste-preview", tabindex: "0", role: "region", "aria-label": t("script.pasted_rows") },
    table,
  );
}

function linesOf({ key, cells, refusal }: PlannedRow, width: number): readonly HTMLTableRowElement[] {
  const heading = element("th", {}, key === null ? t("script.new") : key.join(", "));
  const line = element("tr", { class: refusal !== null && "is-refused" }, heading, ...cells.map(cellElement));
  if (refusal === null) return [line];
  const reason = element("td", { colspan: String(width) }, t("script.refused", { reason: refusal }));
  return [line, element("tr", { class: "is-refused refusal" }, reason)];
}

function cellElement(cell: PlannedCell): HTMLTableCellElement {
  const made = element("td", { dir: "auto" });
  if (cell.before !== null && isChanged(cell))
    made.append(element("del", {}, cell.before || t("script.empty")), " ");
  made.append(isChanged(cell) ? element("ins", {}, cell.text || t("script.empty")) : cell.text);
  if (cell.doubt !== null) {
    made.className = "is-doubtful";
    made.append(element("small", {}, cell.doubt));
  }
  return made;
}
