import type { Choice } from "./choice.js";
import { isPartial, type ColumnKind, type Frame } from "./frame.js";

const MOST_BARS = 30;

/** The settings with which the rows are drawn first: those that are most likely useful. */
export function suggest(frame: Frame, wanted: Partial<Choice>): Choice {
  const choice = likely(frame);
  const known = (name: string | undefined): string | undefined =>
    name === undefined || name === "" || frame.kinds.has(name) ? name : undefined;
  return {
    mark: wanted.mark ?? choice.mark,
    x: known(wanted.x) || choice.x,
    step: wanted.step ?? "",
    y: known(wanted.y) ?? choice.y,
    agg: wanted.agg ?? choice.agg,
    color: known(wanted.color) ?? choice.color,
    split: known(wanted.split) ?? "",
    facet: wanted.facet ?? "",
  };
}

/**
 * The settings with those that the kind of chart needs: a scatter chart needs a column for `y`, the chart of a facet
 * its counts.
 */
export function completed(frame: Frame, choice: Choice): Choice {
  if (choice.facet !== "") return { ...choice, mark: "bar", step: "", y: "", agg: "", color: "", split: "" };
  if (choice.mark !== "scatter" || choice.y !== "") return choice;
  const numbers = columnsOf(frame, "number").filter((name) => name !== choice.x);
  return { ...choice, y: numbers.find((name) => !looksLikeKey(frame, name)) ?? numbers[0] ?? "" };
}

function likely(frame: Frame): Omit<Choice, "facet" | "split" | "step"> {
  const [date] = columnsOf(frame, "date");
  const numbers = columnsOf(frame, "number").filter((name) => !looksLikeKey(frame, name));
  const category = columnsOf(frame, "category").find((name) => {
    const count = new Set(frame.rows.map((row) => row[name])).size;
    return count > 1 && count <= MOST_BARS;
  });
  const [first = "", second] = numbers;
  if (date !== undefined && first !== "" && isSorted(frame, date))
    return { mark: "line", x: date, y: first, agg: isPartial(frame) ? "avg" : "", color: "" };
  if (category !== undefined) return { mark: "bar", x: category, y: "", agg: "", color: "" };
  if (second !== undefined) return { mark: "scatter", x: first, y: second, agg: "", color: "" };
  if (first !== "") return { mark: "histogram", x: first, y: "", agg: "", color: "" };
  return { mark: "bar", x: [...frame.kinds.keys()][0] ?? "", y: "", agg: "", color: "" };
}

const columnsOf = ({ kinds }: Frame, kind: ColumnKind): string[] =>
  [...kinds].filter(([, found]) => found === kind).map(([name]) => name);

/** Numbers that are all different and named like a key are not useful as heights. */
const looksLikeKey = ({ rows }: Frame, name: string): boolean =>
  /^(?:rowid|id|.*_id)$/i.test(name) && new Set(rows.map((row) => row[name])).size === rows.length;

function isSorted({ rows }: Frame, name: string): boolean {
  const times = rows.map((row) => Number(row[name] ?? NaN)).filter((time) => !Number.isNaN(time));
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return false;
  const sign = Math.sign(last - first);
  return (
    sign !== 0 && times.every((time, index) => index === 0 || (time - (times[index - 1] ?? time)) * sign >= 0)
  );
}
