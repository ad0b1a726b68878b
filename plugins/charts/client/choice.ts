export const MARKS = ["bar", "line", "scatter", "histogram"] as const;
export type Mark = (typeof MARKS)[number];

export const AGGREGATES = ["sum", "avg", "min", "max", "distinct"] as const;
export type Aggregate = (typeof AGGREGATES)[number];

/** The settings of a chart, columns by name. */
export interface Choice {
  readonly mark: Mark;
  readonly x: string;
  /** How values of `x` are put together: a step of dates, a width, `each` for none; empty for what fits. */
  readonly step: string;
  /** Empty counts rows. */
  readonly y: string;
  /** What is computed of `y` for each `x`; empty draws the values of rows. */
  readonly agg: Aggregate | "";
  /** Empty for one colour. */
  readonly color: string;
  /** The column of which each value has a chart of its own; empty for one chart. */
  readonly split: string;
  /**
   * The type of the facet whose values are drawn instead of rows: `column`, `array` or `date`; empty for rows.
   */
  readonly facet: string;
}

/** `#chart=bar&x=genre`; null for fragments without a chart. */
export function choiceFromHash(hash: string): Choice | null {
  const values = new URLSearchParams(hash.replace(/^#/, ""));
  const mark = MARKS.find((name) => name === values.get("chart"));
  if (mark === undefined) return null;
  const text = (name: string): string => values.get(name) ?? "";
  const agg = AGGREGATES.find((name) => name === text("agg")) ?? "";
  return drawnChoice({
    mark,
    x: text("x"),
    step: text("step"),
    y: text("y"),
    agg,
    color: text("color"),
    split: text("split"),
    facet: text("facet"),
  });
}

/** The sum of two means is no mean, so bars of means have one colour. */
const isAdditive = ({ y, agg }: Choice): boolean => y === "" || agg === "sum" || agg === "";

/** The settings that this kind of chart uses: a histogram always counts rows. */
export function drawnChoice(wanted: Choice): Choice {
  const choice = wanted.facet === "" && wanted.split !== wanted.x ? wanted : { ...wanted, split: "" };
  const { mark, x, y, agg, color } = choice;
  switch (mark) {
    case "histogram":
      return { ...choice, y: "", agg: "" };
    case "scatter":
      return { ...choice, step: "", agg: "" };
    case "bar": {
      const drawn: Choice = { ...choice, agg: y === "" ? "" : agg || "sum" };
      return isAdditive(drawn) || color === x ? drawn : { ...drawn, color: "" };
    }
    case "line":
      return y === "" ? { ...choice, agg: "" } : choice;
  }
}

/** True if values are computed of all rows; false if each row is drawn. */
export const isGrouped = ({ mark, y, agg, facet }: Choice): boolean =>
  facet === "" && (mark === "bar" || mark === "histogram" || (mark === "line" && (y === "" || agg !== "")));

/** The names of what is in the address of a chart. */
export const SETTINGS = ["chart", "x", "step", "y", "agg", "color", "split", "facet"] as const;

/** `chart=bar&x=genre` */
export function settingsOf(choice: Choice): string {
  const { mark, agg, ...others } = drawnChoice(choice);
  const given = Object.entries({ ...others, agg: mark === "bar" && agg === "sum" ? "" : agg });
  return new URLSearchParams([["chart", mark], ...given.filter(([, value]) => value !== "")]).toString();
}
