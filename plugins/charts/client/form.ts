import { MARKS, type Choice } from "./choice.js";
import type { Frame } from "./frame.js";

const NAMES = { bar: "Bars", line: "Line", scatter: "Scatter", histogram: "Histogram" } as const;

/** The fields to choose with: always four, so that they take the same space for each kind of chart. */
export function chartFields({ kinds }: Frame, choice: Choice): HTMLLabelElement[] {
  const columns = [...kinds.keys()].map((name) => [name, name] as const);
  const count = ["", "Number of rows"] as const;
  const { mark } = choice;
  return [
    field(
      "mark",
      "Chart",
      MARKS.map((name) => [name, NAMES[name]] as const),
      mark,
    ),
    field("x", mark === "bar" ? "For each" : "Across", columns, choice.x),
    mark === "histogram"
      ? field("y", "Up", [count], "", true)
      : field(
          "y",
          mark === "bar" ? "Length" : "Up",
          mark === "scatter" && choice.y !== "" ? columns : [count, ...columns],
          choice.y,
        ),
    field("color", "Colour", [["", "One colour"], ...columns], choice.color),
  ];
}

/** What is chosen; what has no field stays as it was. */
export function chosenIn(form: HTMLFormElement, before: Choice): Choice {
  const values = new FormData(form);
  const text = (name: "mark" | "x" | "y" | "color"): string => String(values.get(name) ?? before[name]);
  const mark = MARKS.find((name) => name === text("mark")) ?? "bar";
  return { mark, x: text("x"), y: text("y"), color: text("color"), facet: "" };
}

type Options = readonly (readonly [value: string, text: string])[];

function field(
  name: string,
  title: string,
  options: Options,
  chosen: string,
  disabled = false,
): HTMLLabelElement {
  const label = document.createElement("label");
  const list = document.createElement("select");
  Object.assign(list, { name, disabled });
  list.append(...options.map(([value, text]) => new Option(text, value, false, value === chosen)));
  label.append(title, list);
  return label;
}
