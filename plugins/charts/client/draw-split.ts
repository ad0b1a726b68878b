import {
  barNames,
  coloursFor,
  drawOne,
  label,
  pictureName,
  type Drawing,
  type Ends,
  type Shared,
  type Size,
} from "./draw-one.js";
import { alongAxis, placeOf, type Measured, type Splits } from "./grouped.js";
import { nameOf, shortName } from "./names.js";
import { keyOf, partOf } from "./splits.js";
import { t } from "./texts.js";
import { svgElement } from "./svg-element.js";

const NARROWEST = 280;
const MOST_COLUMNS = 3;
const HEIGHT = 190;
const TITLE = 24;

/** A chart for each value, beside each other, with the same axes and colours. They are one picture. */
export function drawSplit(drawing: Drawing, { shown }: Splits, { width }: Size): Element {
  const columns = Math.max(1, Math.min(MOST_COLUMNS, shown.length, Math.floor(width / NARROWEST)));
  const size = { width: Math.floor(width / columns), height: HEIGHT };
  const shared = sharedBy(drawing);
  const charts = shown.map((value) => drawOne(partOf(drawing, value), size, shared));
  const plots = charts.map((chart) => (chart instanceof SVGSVGElement ? chart : plotIn(chart)));
  const height = Math.max(0, ...plots.map((plot) => Number(plot?.getAttribute("height") ?? 0))) + TITLE;
  const picture = svgElement("svg", {
    width,
    height: height * Math.ceil(shown.length / columns),
    class: "chart-split",
  });
  for (const [place, value] of shown.entries()) {
    const plot = plots[place];
    if (plot === undefined || plot === null) continue;
    const [left, top] = [(place % columns) * size.width, Math.floor(place / columns) * height];
    const title = svgElement("text", { x: left + 8, y: top + 16, fill: "currentColor", "font-weight": 600 });
    title.textContent = `${drawing.choice.split}: ${shortName(nameOf(value))}`;
    label(plot, title.textContent);
    // The whole is one image for screen readers.
    for (const name of ["role", "aria-label"]) plot.removeAttribute(name);
    for (const [name, at] of Object.entries({ x: left, y: top + TITLE })) plot.setAttribute(name, String(at));
    picture.append(title, plot);
  }
  label(
    picture,
    t("script.chart.for_each_of", { picture: pictureName(drawing), column: drawing.choice.split }),
  );
  const legend = charts[0]?.querySelector("[class*=swatches]") ?? null;
  if (legend === null) return picture;
  const figure = document.createElement("figure");
  figure.append(legend, picture);
  return figure;
}

const plotIn = (figure: Element): SVGSVGElement | null =>
  [...figure.querySelectorAll<SVGSVGElement>(":scope > svg")].at(-1) ?? null;

/** The axes that fit all charts. */
function sharedBy(drawing: Drawing): Shared {
  const { choice, frame, grouped } = drawing;
  const common = { bars: barNames(drawing), colours: coloursFor(drawing) };
  if (grouped === null) {
    const of = (column: string): Ends => endsOf(frame.rows.map((row) => row[column]));
    return { ...common, across: of(choice.x), values: of(choice.y) };
  }
  const { step } = grouped;
  const placed = choice.mark === "bar" ? [] : alongAxis(grouped, false).map(({ x }) => placeOf(x, step));
  const isStacked = choice.mark !== "line" && choice.color !== "";
  const heights = isStacked ? sums(grouped.measured) : grouped.measured.map(({ value }) => value);
  // Shapes with a length begin at zero.
  const from = choice.mark === "line" ? [] : [0];
  return {
    ...common,
    across: endsOf(placed.flatMap((place) => [place?.start, place?.end])),
    values: endsOf([...from, ...heights]),
  };
}

/** The heights of bars of several colours. */
function sums(measured: readonly Measured[]): number[] {
  const totals = new Map<string, number>();
  for (const { x, split = null, value } of measured) {
    const key = keyOf(x) + keyOf(split);
    totals.set(key, (totals.get(key) ?? 0) + (value ?? 0));
  }
  return [...totals.values()];
}

/** The least and the greatest of numbers or times; null if there are none, or other values among them. */
function endsOf(values: readonly unknown[]): Ends {
  const present = values.filter((value) => value !== null && value !== undefined && value !== "");
  const isTimes = present.every((value) => value instanceof Date);
  if (present.length === 0 || !(isTimes || present.every((value) => typeof value === "number"))) return null;
  const numbers = present.map(Number);
  const least = numbers.reduce((one, other) => Math.min(one, other));
  const most = numbers.reduce((one, other) => Math.max(one, other));
  return isTimes ? [new Date(least), new Date(most)] : [least, most];
}
