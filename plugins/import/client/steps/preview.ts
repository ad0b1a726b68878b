import type { Scan } from "../check/scan.js";
import { counted, el } from "../dom.js";
import { JsonValue, type Cell } from "../read/source.js";

const MOST_CHARACTERS = 200;

/** The first rows of a file as a table. */
export function preview({ columns, first, rowCount }: Scan, placeName: string): HTMLElement {
  const heading = el(
    "tr",
    {},
    el("th", { scope: "col" }, placeName),
    ...columns.map((name) => el("th", { scope: "col", dir: "auto" }, name)),
  );
  const lines = first.map(({ place, cells, problem }) =>
    el(
      "tr",
      { class: problem === null ? "" : "is-broken", title: problem ?? "" },
      el("th", { scope: "row" }, String(place)),
      ...columns.map((_, index) => valueCell(cells[index])),
    ),
  );
  const table = el(
    "table",
    { class: "rows-and-columns" },
    el("thead", {}, heading),
    el("tbody", {}, ...lines),
  );
  const note =
    first.length < rowCount
      ? `The first ${first.length} of ${counted(rowCount, "row")}`
      : counted(rowCount, "row");
  return el(
    "div",
    { class: "import-preview" },
    el(
      "div",
      { class: "table-wrapper", tabindex: "0", role: "region", "aria-label": "The first rows" },
      table,
    ),
    el("p", { class: "figures" }, note),
  );
}

function valueCell(cell: Cell): HTMLElement {
  if (cell === null || cell === undefined) return el("td", { class: "type-none" });
  const isNumber = cell instanceof JsonValue && /^[-\d]/.test(cell.json);
  const text = cell instanceof JsonValue ? cell.json : cell;
  const shown = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
  return el("td", { class: isNumber ? "type-int" : "", dir: "auto" }, shown);
}
