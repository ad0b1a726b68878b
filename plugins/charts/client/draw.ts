import { barX, binX, dot, groupY, lineY, plot, rectY, ruleX, ruleY } from "@observablehq/plot";
import type { BinXInputs, LineYOptions, Markish, RectYOptions } from "@observablehq/plot";
import type { Choice } from "./choice.js";
import type { Frame } from "./frame.js";

const MOST_BARS = 50;
const BAR_HEIGHT = 24;
const SERIES = Array.from({ length: 8 }, (_, index) => `var(--series-${index + 1})`);

/** A picture of the rows in the page's own colours. */
export function draw(frame: Frame, choice: Choice, width: number): Element {
  const bars = choice.mark === "bar" ? countBars(frame, choice) : 0;
  const picture = plot({
    width,
    height: choice.mark === "bar" ? bars * BAR_HEIGHT + 60 : Math.min(460, Math.max(260, width * 0.45)),
    marginLeft: choice.mark === "bar" ? labelRoom(frame, choice) : 60,
    marginBottom: 40,
    style: { background: "transparent", color: "var(--ink)", fontFamily: "var(--sans)", fontSize: "12px" },
    color: { range: SERIES, legend: choice.color !== "" },
    x:
      choice.mark === "bar"
        ? { label: heightName(choice), tickFormat: shortNumber }
        : { grid: true, label: choice.x, ...numbersOf(frame, choice.x) },
    y:
      choice.mark === "bar"
        ? { label: null }
        : { grid: true, label: heightName(choice), ...numbersOf(frame, choice.y) },
    marks: marksFor(frame, choice),
  });
  // Styles inside of it are what the Content-Security-Policy refuses; ours say the same.
  for (const style of picture.querySelectorAll("style")) style.remove();
  if (picture instanceof SVGElement) label(picture, choice);
  else picture.querySelectorAll("svg[class*='plot']").forEach((svg) => label(svg, choice));
  return picture;
}

const compact = new Intl.NumberFormat("en", { notation: "compact" });

/** `2.6B`; years and the like stay as they are. */
const shortNumber = (value: unknown): string =>
  typeof value === "number" && Math.abs(value) >= 100_000 ? compact.format(value) : String(value);

const numbersOf = ({ kinds }: Frame, column: string): { readonly tickFormat?: typeof shortNumber } =>
  kinds.get(column) === "number" ? { tickFormat: shortNumber } : {};

function label(svg: Element, { mark, x, y }: Choice): void {
  // The picture is one thing to those who can't see it: its parts need no names, except for style sheets.
  for (const part of svg.querySelectorAll("g[aria-label]")) {
    part.classList.add(`chart-${part.getAttribute("aria-label")?.replace(/\W+/g, "-")}`);
    part.removeAttribute("aria-label");
  }
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `${mark} chart of ${y === "" ? "the number of rows" : y} by ${x}`);
}

const heightName = ({ y, mark }: Choice): string => (y === "" ? "rows" : mark === "bar" ? `sum of ${y}` : y);

function marksFor({ rows }: Frame, choice: Choice): Markish[] {
  const { mark, x, y, color } = choice;
  const data = [...rows];
  const paint = color === "" ? "var(--series-1)" : color;
  const sort = { y: "-x", limit: MOST_BARS } as const;
  switch (mark) {
    case "bar": {
      const text = { y: (row: (typeof data)[number]) => categoryText(row[x]), fill: paint, tip: true, sort };
      const bars =
        y === ""
          ? barX(data, groupY({ x: "count" }, text))
          : barX(data, groupY({ x: "sum" }, { ...text, x: y }));
      return [bars, ruleX([0])];
    }
    case "line": {
      const line = { x, stroke: paint, tip: true } as const;
      return [
        y === ""
          ? lineY(data, binX({ y: "count" }, line as BinXInputs<LineYOptions>))
          : lineY(data, { ...line, y, sort: x }),
      ];
    }
    case "scatter":
      return [dot(data, { x, y, stroke: paint, tip: true, r: 3, strokeOpacity: 0.7 })];
    case "histogram": {
      const bars = { x, fill: paint, tip: true } as BinXInputs<RectYOptions>;
      return [rectY(data, binX({ y: "count" }, bars)), ruleY([0])];
    }
  }
}

const LONGEST_LABEL = 28;

function categoryText(value: unknown): string {
  const text = value === null || value === undefined ? "(null)" : value === "" ? "(blank)" : String(value);
  return text.length > LONGEST_LABEL ? `${text.slice(0, LONGEST_LABEL - 1)}…` : text;
}

const countBars = ({ rows }: Frame, { x }: Choice): number =>
  Math.min(MOST_BARS, new Set(rows.map((row) => categoryText(row[x]))).size);

function labelRoom({ rows }: Frame, { x }: Choice): number {
  const longest = Math.max(0, ...rows.map((row) => categoryText(row[x]).length));
  return Math.min(220, 24 + longest * 7);
}
