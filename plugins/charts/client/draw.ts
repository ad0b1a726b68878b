import { barX, binX, dot, groupY, lineY, plot, rectY, ruleX, ruleY } from "@observablehq/plot";
import type { BinXInputs, LineYOptions, Markish, RectYOptions } from "@observablehq/plot";
import { barsOf, nameOf, shortName } from "./bars.js";
import type { Choice } from "./choice.js";
import { coloursOf, type Colours } from "./colours.js";
import { isPartial, type Frame } from "./frame.js";

const LOWEST_BAR = 24;
const HIGHEST_BAR = 44;
/** The margins above and below the bars. */
const AROUND_BARS = 60;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A picture of the rows in the colours of the page. With many bars it is higher than the requested size. */
export function draw(frame: Frame, choice: Choice, { width, height }: Size): Element {
  const isBars = choice.mark === "bar";
  const bars = isBars ? barsOf(frame, choice).names : [];
  const colours = choice.color === "" ? null : coloursOf(frame, choice.color);
  const highest = bars.length * HIGHEST_BAR + AROUND_BARS;
  const lowest = bars.length * LOWEST_BAR + AROUND_BARS;
  const heights = { label: heightName(frame, choice), tickFormat: countsOnly(choice) };
  const picture = plot({
    width,
    height: isBars ? Math.max(lowest, Math.min(highest, height)) : height,
    marginLeft: isBars ? labelRoom(bars) : 60,
    marginBottom: 40,
    style: { background: "transparent", color: "var(--ink)", fontFamily: "var(--sans)", fontSize: "12px" },
    ...(colours !== null && {
      color: { type: "ordinal", domain: colours.domain, range: colours.range, legend: true },
    }),
    x: isBars ? heights : { grid: true, label: choice.x, ...numbersOf(frame, choice.x) },
    y: isBars
      ? { type: "band", label: null, domain: bars, tickFormat: shortName }
      : { grid: true, ...(choice.y === "" ? heights : { label: choice.y, ...numbersOf(frame, choice.y) }) },
    marks: marksFor(frame, choice, { bars: new Set(bars), colours }),
  });
  // The Content-Security-Policy forbids style elements. The style sheet contains the same rules.
  for (const style of picture.querySelectorAll("style")) style.remove();
  const text = `${choice.mark} chart of ${heightInWords(frame, choice)} by ${choice.x}`;
  if (picture instanceof SVGElement) label(picture, text);
  else picture.querySelectorAll("svg[class*='plot']").forEach((svg) => label(svg, text));
  return picture;
}

const compact = new Intl.NumberFormat("en", { notation: "compact" });

/** `2.6B`. Numbers like years are not shortened. */
const shortNumber = (value: unknown): string =>
  typeof value === "number" && Math.abs(value) >= 100_000 ? compact.format(value) : String(value);

const numbersOf = ({ kinds }: Frame, column: string): { readonly tickFormat?: typeof shortNumber } =>
  kinds.get(column) === "number" ? { tickFormat: shortNumber } : {};

/** Counts are whole numbers, so there are no ticks between them. */
const countsOnly =
  ({ y }: Choice) =>
  (value: unknown): string =>
    y === "" && !Number.isInteger(value) ? "" : shortNumber(value);

function label(svg: Element, text: string): void {
  // The picture is one image for screen readers. Its parts need no names, except for style sheets.
  for (const part of svg.querySelectorAll("g[aria-label]")) {
    part.classList.add(`chart-${part.getAttribute("aria-label")?.replace(/\W+/g, "-")}`);
    part.removeAttribute("aria-label");
  }
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", text);
}

/** The label of the heights: counts of all rows, or of the loaded rows. */
function heightName(frame: Frame, { y, mark, facet }: Choice): string {
  if (facet !== "") return "rows";
  const first = isPartial(frame) ? ` among the first ${frame.rows.length.toLocaleString("en")}` : "";
  if (y === "") return `rows${first}`;
  return mark === "bar" ? `sum of ${y}${first && `${first} rows`}` : y;
}

function heightInWords(frame: Frame, choice: Choice): string {
  if (choice.y === "") return `the number of ${heightName(frame, choice)}`;
  const first =
    isPartial(frame) && choice.facet === ""
      ? ` among the first ${frame.rows.length.toLocaleString("en")} rows`
      : "";
  return `${choice.y}${first}`;
}

interface Looks {
  readonly bars: ReadonlySet<string>;
  readonly colours: Colours | null;
}

function marksFor({ rows }: Frame, { mark, x, y }: Choice, { bars, colours }: Looks): Markish[] {
  const data = [...rows];
  const paint = colours === null ? "var(--series-1)" : colours.of;
  switch (mark) {
    case "bar": {
      const drawn = data.filter((row) => bars.has(nameOf(row[x])));
      const text = { y: (row: (typeof data)[number]) => nameOf(row[x]), fill: paint, tip: true };
      const shapes =
        y === ""
          ? barX(drawn, groupY({ x: "count" }, text))
          : barX(drawn, groupY({ x: "sum" }, { ...text, x: y }));
      return [shapes, ruleX([0])];
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
      const shapes = { x, fill: paint, tip: true } as BinXInputs<RectYOptions>;
      return [rectY(data, binX({ y: "count" }, shapes)), ruleY([0])];
    }
  }
}

function labelRoom(bars: readonly string[]): number {
  const longest = Math.max(0, ...bars.map((name) => shortName(name).length));
  return Math.min(220, 24 + longest * 7);
}
