export const MARKS = ["bar", "line", "scatter", "histogram"] as const;
export type Mark = (typeof MARKS)[number];

/** The settings of a chart. Columns by name; an empty `y` counts rows, an empty `color` uses one colour. */
export interface Choice {
  readonly mark: Mark;
  readonly x: string;
  readonly y: string;
  readonly color: string;
  /**
   * The type of the facet whose values are drawn instead of rows: `column`, `array` or `date`; empty for rows.
   */
  readonly facet: string;
}

/** `#chart=bar&x=genre`; null for fragments without a chart. */
export function choiceFromHash(hash: string): Choice | null {
  const values = new URLSearchParams(hash.replace(/^#/, ""));
  const mark = MARKS.find((name) => name === values.get("chart"));
  const [x, y, color, facet] = ["x", "y", "color", "facet"].map((name) => values.get(name) ?? "");
  return mark === undefined ? null : { mark, x: x ?? "", y: y ?? "", color: color ?? "", facet: facet ?? "" };
}

/** The settings that this kind of chart uses: a histogram always counts rows. */
export const drawnChoice = (choice: Choice): Choice =>
  choice.mark === "histogram" ? { ...choice, y: "" } : choice;

export function hashOfChoice(choice: Choice): string {
  const { mark, ...columns } = drawnChoice(choice);
  const given = Object.entries(columns).filter(([, value]) => value !== "");
  return `#${new URLSearchParams([["chart", mark], ...given]).toString()}`;
}
