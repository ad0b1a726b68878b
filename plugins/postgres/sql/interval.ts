import type { Column } from "rowhouse/plugin-api";
import { columnFamily } from "./types.js";

/** The lower bound of the interval of a number, exact for all types. Infinite numbers and NaN have none. */
export function interval(expression: string, width: number, column: Column | undefined): string {
  const family = column === undefined ? "other" : columnFamily(column);
  switch (family) {
    case "integer":
    case "numeric":
      return `floor(cast(${finite(expression)} as numeric) / ${width}) * ${width}`;
    case "float":
      return `cast(floor(round(cast(${finite(expression)} as numeric) / ${width}, 9)) * ${width} as float8)`;
    default:
      return "cast(null as numeric)";
  }
}

/** As text, because not all types of numbers can be compared with these values. */
const finite = (expression: string): string =>
  `(case when cast(${expression} as text) not in ('NaN', 'Infinity', '-Infinity') then ${expression} end)`;
