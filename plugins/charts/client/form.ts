import { MARKS, type Choice } from "./choice.js";
import type { Frame } from "./frame.js";

const NAMES = { bar: "Bars", line: "Line", scatter: "Scatter", histogram: "Histogram" } as const;

/** The fields of the settings: always four, so that they take the same space for each kind of chart. */
export function chartFields({ kinds }: Frame, choice: Choice): HTMLLabelElement[] {
  const columns = [...kinds.keys()].map((name) => [name, name] as const);
  const count = ["", "Number of rows"] as const;
  const { mark } = choice;
  const marks = MARKS.map((name) => [name, NAMES[name]] as const);
  const heights = mark === "histogram" ? [count] : mark === "scatter" ? columns : [count, ...columns];
  return [
    field({ name: "mark", title: "Chart", options: marks, chosen: mark }),
    field({ name: "x", title: mark === "bar" ? "For each" : "Across", options: columns, chosen: choice.x }),
    field({
      name: "y",
      title: mark === "bar" ? "Length" : "Up",
      options: heights,
      chosen: choice.y,
      // A histogram counts rows, so it has no such setting.
      disabled: mark === "histogram",
    }),
    field({
      name: "color",
      title: "Colour",
      options: [["", "One colour"], ...columns],
      chosen: choice.color,
    }),
  ];
}

/** The chosen settings. Settings without a field keep their value. */
export function chosenIn(form: HTMLFormElement, before: Choice): Choice {
  const values = new FormData(form);
  const text = (name: "mark" | "x" | "y" | "color"): string => String(values.get(name) ?? before[name]);
  const mark = MARKS.find((name) => name === text("mark")) ?? "bar";
  return { mark, x: text("x"), y: text("y"), color: text("color"), facet: "" };
}

interface Field {
  readonly name: string;
  readonly title: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly chosen: string;
  readonly disabled?: boolean;
}

function field({ name, title, options, chosen, disabled = false }: Field): HTMLLabelElement {
  const label = document.createElement("label");
  const list = document.createElement("select");
  Object.assign(list, { name, disabled });
  list.append(...options.map(([value, text]) => new Option(text, value, false, value === chosen)));
  label.append(title, list);
  return label;
}
