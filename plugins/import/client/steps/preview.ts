import { element, shortText } from "rowhouse/browser";
import type { Scan } from "../check/scan.js";
import type { PlaceName } from "../message.js";
import { JsonValue, type Cell } from "../read/source.js";
import { t, textOf } from "../texts.js";

const MOST_CHARACTERS = 200;

/** The first rows of a file as a table. */
export function preview({ columns, first, rowCount }: Scan, placeName: PlaceName): HTMLElement {
  const heading = element(
    "tr",
    {},
    element("th", { scope: "col" }, t(`script.import.${placeName}`)),
    ...columns.map((name) => element("th", { scope: "col", dir: "auto" }, name)),
  );
  const lines = first.map(({ place, cells, problem }) =>
    element(
      "tr",
      { class: problem === null ? "" : "is-broken", title: problem === null ? "" : textOf(problem) },
      element("th", { scope: "row" }, String(place)),
      ...columns.map((_, index) => valueCell(cells[index])),
    ),
  );
  const table = element(
    "table",
    { class: "rows-and-columns" },
    element("thead", {}, heading),
    element("tbody", {}, ...lines),
  );
  const rows = t("script.import.rows", { count: rowCount });
  const note = first.length < rowCount ? t("script.import.first_of", { shown: first.length, rows }) : rows;
  return element(
    "div",
    { class: "import-preview" },
    element(
      "div",
      { class: "table-wrapper", tabindex: "0", role: "region", "aria-label": t("script.import.first_rows") },
      table,
    ),
    element("p", { class: "figures" }, note),
  );
}

function valueCell(cell: Cell): HTMLElement {
  if (cell === null || cell === undefined) return element("td", { class: "type-none" });
  const isNumber = cell instanceof JsonValue && /^[-\d]/.test(cell.json);
  const text = cell instanceof JsonValue ? cell.json : cell;
  return element("td", { class: isNumber ? "type-int" : "", dir: "auto" }, shortText(text, MOST_CHARACTERS));
}
