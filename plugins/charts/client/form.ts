import { element } from "rowhouse/browser";
import { AGGREGATES, MARKS, type Choice } from "./choice.js";
import { aggregateWords } from "./measure-name.js";
import type { Frame } from "./frame.js";
import { DATE_STEPS, isDateStep, type DateStep } from "./steps.js";
import { t } from "./texts.js";

type Option = readonly [value: string, text: string];

/** The fields of the settings: always seven, so that they take the same space for each kind of chart. */
export function chartFields(frame: Frame, choice: Choice): HTMLLabelElement[] {
  const columns = [...frame.kinds.keys()].map((name): Option => [name, name]);
  const { mark, x, y, step, agg, color, split } = choice;
  const marks = MARKS.map((name): Option => [name, t(`script.chart.${name}`)]);
  const isScatter = mark === "scatter";
  const countsRows = mark === "histogram";
  return [
    field({ name: "mark", title: t("script.chart.title"), options: marks, chosen: mark }),
    field({
      name: "x",
      title: mark === "bar" ? t("script.chart.for_each") : t("script.chart.across"),
      options: columns,
      chosen: x,
    }),
    field({
      name: "step",
      title: t("script.chart.step"),
      options: stepsOf(frame, choice),
      chosen: step,
      disabled: isScatter,
    }),
    field({
      name: "agg",
      title: t("script.chart.show"),
      options: isScatter ? [["rows", t("script.chart.each_row")]] : measures(choice),
      chosen: countsRows || y === "" ? "count" : agg || (mark === "bar" ? "sum" : "rows"),
      disabled: isScatter || countsRows,
    }),
    field({
      name: "y",
      title: isScatter ? t("script.chart.up") : t("script.chart.of_column"),
      options: isScatter ? columns : [["", "–"], ...columns],
      chosen: y,
      // A histogram counts rows, so it has no such setting.
      disabled: countsRows,
    }),
    field({
      name: "color",
      title: t("script.chart.colour"),
      options: [["", t("script.chart.one_colour")], ...columns],
      chosen: color,
    }),
    field({
      name: "split",
      title: t("script.chart.split"),
      options: [["", "–"], ...columns.filter(([name]) => name !== x)],
      chosen: split,
    }),
  ];
}

function measures({ mark }: Choice): readonly Option[] {
  const rows: readonly Option[] = mark === "line" ? [["rows", t("script.chart.each_row")]] : [];
  return [
    ["count", t("script.chart.rows_number")],
    ...AGGREGATES.map((name): Option => [name, aggregateWords(name)]),
    ...rows,
  ];
}

function stepsOf({ kinds }: Frame, { x, step, mark }: Choice): readonly Option[] {
  const each: readonly Option[] = mark === "histogram" ? [] : [["each", t("script.chart.each_value")]];
  const kind = kinds.get(x);
  if (kind === "category" || kind === undefined) return [["", t("script.chart.each_value")]];
  const dates = (Object.keys(DATE_STEPS) as DateStep[]).map((name): Option => [
    name,
    t(`script.chart.step_${name}`),
  ]);
  const given: readonly Option[] = step !== "" && step !== "each" && !isDateStep(step) ? [[step, step]] : [];
  return [["", t("script.chart.automatic")], ...each, ...(kind === "date" ? dates : given)];
}

/** The settings after a change of the field of this name. Settings without a field keep their value. */
export function chosenIn(form: HTMLFormElement, before: Choice, frame: Frame, changed: string): Choice {
  const values = new FormData(form);
  const text = (name: string): string => String(values.get(name) ?? "");
  switch (changed) {
    case "mark":
      return { ...before, mark: MARKS.find((name) => name === text("mark")) ?? "bar" };
    case "x":
      return { ...before, x: text("x"), step: "" };
    case "step":
      return { ...before, step: text("step") };
    case "color":
      return { ...before, color: text("color") };
    case "split":
      return { ...before, split: text("split") };
    case "y":
      return { ...before, ...measureOf(text("y"), before) };
    default:
      return { ...before, ...aggregateOf(text("agg"), before, frame) };
  }
}

type Measure = Pick<Choice, "y" | "agg">;

/** A column makes a sum or a mean of a number of rows. */
function measureOf(y: string, { y: before, agg, mark }: Choice): Measure {
  if (y === "") return { y, agg: "" };
  if (mark === "scatter" || before !== "") return { y, agg };
  return { y, agg: mark === "line" ? "avg" : "sum" };
}

/** An aggregate without a column takes the first one of numbers. */
function aggregateOf(asked: string, { y }: Choice, { kinds }: Frame): Measure {
  if (asked === "count") return { y: "", agg: "" };
  const [first = ""] = [...kinds].find(([, kind]) => kind === "number") ?? [];
  return { y: y || first, agg: AGGREGATES.find((name) => name === asked) ?? "" };
}

interface Field {
  readonly name: string;
  readonly title: string;
  readonly options: readonly Option[];
  readonly chosen: string;
  readonly disabled?: boolean;
}

function field({ name, title, options, chosen, disabled = false }: Field): HTMLLabelElement {
  const list = options.map(([value, text]) => new Option(text, value, false, value === chosen));
  return element("label", {}, title, element("select", { name, disabled }, ...list));
}
