import type { Frame } from "./frame.js";
import { nameOf, shortName } from "./names.js";

/** In pixels. */
const LINE = 16;

/** The different values of a column of texts; null for other columns. */
export function namesIn(frame: Frame, column: string): readonly string[] | null {
  if (frame.kinds.get(column) !== "category") return null;
  return [...new Set(frame.rows.map((row) => shortName(nameOf(row[column]))))];
}

/** Names below the picture, as many as have room, without a line for each. */
export const axisAcross = (names: readonly string[], width: number) => ({
  grid: false,
  tickSize: 0,
  tickFormat: someOf(names, Math.max(1, Math.floor(width / (longest(names) * 7 + 12)))),
});

/** Names beside the picture, as many as have room; the name of the axis is above them. */
export const axisUp = (names: readonly string[], height: number) => ({
  labelAnchor: "top" as const,
  tickSize: 0,
  tickFormat: someOf(names, Math.max(1, Math.floor(height / LINE))),
});

/** In pixels, for names that are above one another. */
export const labelRoom = (names: readonly string[]): number => Math.min(220, 24 + longest(names) * 7);

const longest = (names: readonly string[]): number => Math.max(0, ...names.map(({ length }) => length));

/** One name of several, if there are more than `most`. */
function someOf(names: readonly string[], most: number): (value: unknown, index: number) => string {
  const each = Math.ceil(names.length / most);
  return (value, index) => (index % each === 0 ? shortName(nameOf(value as string | null)) : "");
}
