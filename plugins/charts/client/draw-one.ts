import { numberOf, numberText, tipText } from "./numbers.js";
import { barX, dot, lineY, plot, rectY, ruleX, ruleY, type Markish } from "@observablehq/plot";
import type { Choice } from "./choice.js";
import { measureName } from "./measure-name.js";
import { coloursOf, type Colours } from "./colours.js";
import { alongAxis, placeOf, type Grouped, type Measured } from "./grouped.js";
import { isPartial, type Frame, type Value } from "./frame.js";
import { barName, shortName } from "./names.js";
import { axisAcross, axisUp, labelRoom, namesIn } from "./text-axes.js";
import { t } from "./texts.js";
import { pageLanguage } from "rowhouse/browser";

const LOWEST_BAR = 20;
const HIGHEST_BAR = 44;
/** The margins above and below the bars. */
const AROUND_BARS = 60;

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** What is drawn: values that were computed of rows, or the rows themselves. */
export interface Drawing {
  readonly choice: Choice;
  readonly frame: Frame;
  readonly grouped: Grouped | null;
}

/** What several charts have in common: their bars, colours and the ends of their axes. */
export interface Shared {
  readonly bars: readonly string[];
  readonly colours: Colours | null;
  readonly across: Ends;
  readonly values: Ends;
}

/** The ends of an axis; null where it has no numbers or times. */
export type Ends = readonly [number | Date, number | Date] | null;

/** `bar chart of the number of rows by kind` */
export const pictureName = (drawing: Drawing): string =>
  t(`script.chart.picture_${drawing.choice.mark}`, { what: inWords(drawing), column: drawing.choice.x });

/** One chart with the axes and colours that it shares with others. */
export function drawOne(drawing: Drawing, { width, height }: Size, shared: Shared): Element {
  const { choice } = drawing;
  const isBars = choice.mark === "bar";
  const { bars, colours } = shared;
  const highest = bars.length * HIGHEST_BAR + AROUND_BARS;
  const lowest = bars.length * LOWEST_BAR + AROUND_BARS;
  // Charts of groups have numbers or times there.
  const namesOf = (column: string) => (drawing.grouped === null ? namesIn(drawing.frame, column) : null);
  const [below, beside] = [namesOf(choice.x), namesOf(choice.y)];
  const values = {
    label: valueLabel(drawing),
    tickFormat: valueFormat(choice),
    ...(shared.values !== null && { domain: shared.values }),
    ...(beside !== null && axisUp(beside, height)),
  };
  const across = {
    grid: true,
    label: choice.x,
    ...numbersOf(drawing, choice.x),
    ...(shared.across !== null && { domain: shared.across }),
    ...(below !== null && axisAcross(below, width)),
  };
  const picture = plot({
    width,
    height: isBars ? Math.max(lowest, Math.min(highest, height)) : height,
    marginLeft: isBars ? labelRoom(bars.map(shortName)) : beside === null ? 60 : labelRoom(beside),
    marginBottom: 40,
    style: { background: "transparent", color: "var(--ink)", fontFamily: "var(--sans)", fontSize: "12px" },
    ...(colours !== null && {
      color: {
        type: "ordinal",
        domain: colours.domain,
        range: colours.range,
        tickFormat: shortName,
        legend: true,
      },
    }),
    x: isBars ? values : across,
    y: isBars
      ? { type: "band", label: null, domain: bars, tickFormat: shortName }
      : { grid: true, ...values },
    marks: marksFor(drawing, colours),
  });
  // The Content-Security-Policy forbids style elements. The style sheet contains the same rules.
  for (const style of picture.querySelectorAll("style")) style.remove();
  return picture;
}

/** The bars from top to bottom: numbers and dates in their order, other values as they are given, longest first. */
export function barNames({ choice, grouped }: Drawing): readonly string[] {
  if (choice.mark !== "bar" || grouped === null) return [];
  const { measured, step } = grouped;
  const isOrdered = measured.every(({ x }) => x === null || x === "" || hasOrder(x, step));
  const placed = isOrdered ? alongAxis(grouped, false) : longestFirst(measured);
  const others = isOrdered ? measured.filter(({ x }) => placeOf(x, step) === null) : [];
  return [...new Set([...placed, ...others].map(({ x }) => barName(x, step)))];
}

/** False for texts, also for integers beyond 2^53, which the groups of a table have as texts. */
const hasOrder = (x: Value, step: string): boolean =>
  placeOf(x, step) !== null && (step !== "each" || typeof x !== "string");

function longestFirst(measured: readonly Measured[]): readonly Measured[] {
  const lengths = new Map<Value, number>();
  for (const { x, value } of measured) lengths.set(x, (lengths.get(x) ?? 0) + (value ?? 0));
  return measured.toSorted((one, other) => (lengths.get(other.x) ?? 0) - (lengths.get(one.x) ?? 0));
}

export function coloursFor({ choice, frame, grouped }: Drawing): Colours | null {
  if (choice.color === "") return null;
  const kind = frame.kinds.get(choice.color) ?? "category";
  if (grouped === null)
    return coloursOf(
      frame.rows.map((row) => ({ value: row[choice.color] ?? null, weight: 1 })),
      kind,
    );
  return coloursOf(
    grouped.measured.map(({ color, value }) => ({ value: color, weight: Math.abs(value ?? 0) })),
    kind,
  );
}

// Without its digits, 1,050,000 would be 1.1M, as 1,100,000 is.
const compact = new Intl.NumberFormat(pageLanguage(), { notation: "compact", maximumFractionDigits: 6 });

/** `2.6B`. Numbers like years are not shortened. */
const shortNumber = (value: unknown): string =>
  typeof value === "number" && Math.abs(value) >= 10_000 ? compact.format(value) : String(value);

const numbersOf = (
  { frame, choice }: Drawing,
  column: string,
): { readonly tickFormat?: typeof shortNumber } =>
  frame.kinds.get(column) === "number" && choice.facet === "" ? { tickFormat: shortNumber } : {};

/** Counts are whole numbers, so there are no ticks between them. */
const valueFormat =
  ({ y }: Choice) =>
  (value: unknown): string =>
    y === "" && !Number.isInteger(value) ? "" : shortNumber(value);

export function label(svg: Element, text: string): void {
  // The picture is one image for screen readers. Its parts need no names, except for style sheets.
  for (const part of svg.querySelectorAll("g[aria-label]")) {
    part.classList.add(`chart-${part.getAttribute("aria-label")?.replace(/\W+/g, "-")}`);
    part.removeAttribute("aria-label");
  }
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", text);
}

/** True for a chart of some rows. */
function isOfSome({ frame, grouped, choice }: Drawing): boolean {
  const some = grouped === null ? isPartial(frame) : grouped.isOfSomeRows && isPartial(frame);
  return some && choice.facet === "";
}

/** The label of the axis of values: what they are, and of which rows. */
function valueLabel(drawing: Drawing): string {
  const what = measureName(drawing.choice);
  if (!isOfSome(drawing)) return what;
  const count = drawing.frame.rows.length;
  return drawing.choice.y === ""
    ? t("script.chart.among", { what, count })
    : t("script.chart.among_rows", { what, count });
}

const inWords = (drawing: Drawing): string =>
  drawing.choice.y === "" ? t("script.chart.number_of", { what: valueLabel(drawing) }) : valueLabel(drawing);

/** Without colours for values. */
const PAINT = "var(--series-1)";

function marksFor(drawing: Drawing, colours: Colours | null): Markish[] {
  const { choice, frame, grouped } = drawing;
  if (grouped === null) return rowMarks(drawing, colours);
  const { mark, x, y } = choice;
  const { step } = grouped;
  const fill = colours === null ? PAINT : ({ color: value }: Measured) => colours.of(value);
  if (mark === "bar") {
    const bars = {
      x: "value",
      y: (one: Measured) => barName(one.x, step),
      fill,
      tip: { format: { ...(y !== "" && { x: valueIn(grouped.measured) }) } },
    };
    return [barX([...grouped.measured], bars), ruleX([0])];
  }
  const placed = [...alongAxis(grouped, y === "")];
  const from = (one: Measured) => placeOf(one.x, step)?.start;
  // Numbers of rows are never years.
  const tipOf = (points: readonly Measured[]) => ({
    format: {
      ...(hasNumbers(frame, x) && { x: placeIn(points, step) }),
      ...(y !== "" && { y: valueIn(points) }),
    },
  });
  if (mark === "line") {
    const points = placed.filter(({ value }) => value !== null);
    return [
      lineY(points, {
        x: from,
        y: "value",
        stroke: fill,
        tip: tipOf(points),
        marker: points.length < 60 ? "dot" : null,
      }),
    ];
  }
  const to = (one: Measured) => placeOf(one.x, step)?.end;
  const tip = tipOf(placed);
  return [rectY(placed, { x1: from, x2: to, y: "value", fill, tip, inset: 0.5 }), ruleY([0])];
}

/** A dot for each row, or a line through all of them. */
function rowMarks({ choice, frame }: Drawing, colours: Colours | null): Markish[] {
  const { mark, x, y, color } = choice;
  const rows = [...frame.rows];
  type Row = (typeof rows)[number];
  const at = (name: string) => ({
    value: (row: Row) => (hasNumbers(frame, name) ? drawn(row[name]) : (row[name] ?? null)),
    label: name,
  });
  const inRow = (name: string) => (_: unknown, index: number) => tipText(rows[index]?.[name]);
  const shown = {
    x: at(x),
    y: at(y),
    stroke: colours === null ? PAINT : (row: Row) => colours.of(row[color] ?? null),
    tip: {
      format: {
        ...(hasNumbers(frame, x) && { x: inRow(x) }),
        ...(hasNumbers(frame, y) && { y: inRow(y) }),
      },
    },
  };
  return [
    mark === "line"
      ? lineY(rows, { ...shown, sort: shown.x.value })
      : dot(rows, { ...shown, r: 3, strokeOpacity: 0.7 }),
  ];
}

/** Axes need numbers. Tips show all digits. */
function drawn(value: Value | undefined): Value {
  const number = numberOf(value);
  return number === null ? (value ?? null) : Number(number);
}

const valueIn = (points: readonly Measured[]) => (drawnValue: unknown, index: number) => {
  const { exact } = points[index] ?? {};
  return exact === undefined ? tipText(drawnValue) : numberText(exact);
};

const placeIn = (points: readonly Measured[], step: string) => (drawnValue: unknown, index: number) =>
  tipText(step === "each" ? points[index]?.x : drawnValue);

const hasNumbers = ({ kinds }: Drawing["frame"], column: string): boolean => kinds.get(column) === "number";
