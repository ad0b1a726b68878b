import { element, pageLanguage } from "rowhouse/browser";
import { numberText } from "./numbers.js";
import type { Choice } from "./choice.js";
import { measureName } from "./measure-name.js";
import type { Drawing } from "./draw-one.js";
import { alongAxis, type Measured } from "./grouped.js";
import { barName, nameOf } from "./names.js";
import { chartsOf, partOf } from "./splits.js";
import { t } from "./texts.js";

/** Rows of a table that is made at once. */
const MOST_ROWS = 2000;

/** The values of a chart as a table, which opens below the picture. */
export class ValuesTable {
  readonly #box = element("div", {
    class: "table-wrapper",
    tabindex: "0",
    role: "region",
    "aria-label": t("script.chart.values_of"),
  });
  readonly element = element(
    "details",
    { class: "chart-values" },
    element("summary", {}, t("script.chart.values")),
    this.#box,
  );
  #drawing: Drawing | null = null;

  constructor() {
    // Made when it is opened: it may have many rows.
    this.element.addEventListener("toggle", () => this.#fill());
  }

  show(drawing: Drawing | null): void {
    this.#drawing = drawing;
    this.element.hidden = drawing === null;
    this.#fill();
  }

  /** The rows of the table as texts, without their heading. */
  rows(): readonly (readonly string[])[] {
    const drawing = this.#drawing;
    if (drawing === null) return [];
    const charts = chartsOf(drawing);
    if (charts === null) return rowsOf(drawing).slice(0, MOST_ROWS);
    return charts.shown
      .flatMap((value) => rowsOf(partOf(drawing, value)).map((cells) => [nameOf(value), ...cells]))
      .slice(0, MOST_ROWS);
  }

  #fill(): void {
    if (this.#drawing === null || !this.element.open) return;
    const { choice } = this.#drawing;
    const table = element("table");
    const columns = [choice.split, choice.x, ...(isColoured(choice) ? [choice.color] : [])];
    const headings = [...columns.filter((name) => name !== ""), measureName(choice)];
    const heading = table.createTHead().insertRow();
    heading.append(...headings.map((text) => element("th", { scope: "col" }, text)));
    const body = table.createTBody();
    const rows = this.rows();
    for (const cells of rows) {
      const row = body.insertRow();
      for (const text of cells) row.insertCell().textContent = text;
    }
    if (rows.length === MOST_ROWS) table.createCaption().textContent = CUT;
    this.#box.replaceChildren(table);
  }
}

const CUT = t("script.chart.cut", { count: MOST_ROWS });

const isColoured = ({ color, x }: Choice): boolean => color !== "" && color !== x;

function rowsOf({ choice, frame, grouped }: Drawing): readonly (readonly string[])[] {
  if (grouped === null) {
    const columns = [choice.x, ...(isColoured(choice) ? [choice.color] : []), choice.y];
    return frame.rows.slice(0, MOST_ROWS).map((row) => columns.map((name) => nameOf(row[name])));
  }
  const cells = ({ x, color, value, exact }: Measured): string[] => [
    barName(x, grouped.step),
    ...(isColoured(choice) ? [nameOf(color)] : []),
    value === null
      ? "(null)"
      : choice.y === ""
        ? value.toLocaleString(pageLanguage())
        : numberText(exact ?? value),
  ];
  const ordered = choice.mark === "bar" ? grouped.measured : alongAxis(grouped, choice.y === "");
  return ordered.map(cells);
}
