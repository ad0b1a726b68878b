import { jsonString, quoteText } from "rowhouse/plugin-api";

/**
 * Rows leave SQLite as text that SQLite itself builds, on the thread pool. Cells that SQL can't write in their
 * final form stand between control characters, which JSON text never holds; `wire-format.ts` and `typed-cells.ts` know them.
 */
export const MARKS = { real: "\u0001", blob: "\u0002" } as const;
/** Between rows when several travel as one text. */
export const ROW_SEPARATOR = "\u001e";

/** What a row's text is for: typed cells, or the wire. */
export type RowForm =
  | { readonly kind: "cells" }
  | { readonly kind: "json"; readonly shape: "arrays" | "objects"; readonly names: readonly string[] };

/** What rows are for: JSON text, typed cells, or the rows of an EXPLAIN. */
export type RowFormat =
  | { readonly kind: "json"; readonly shape: "arrays" | "objects"; readonly infinity: "null" | "words" }
  | { readonly kind: "cells" }
  | { readonly kind: "raw" };

/** The form of rows that are to go out as JSON. */
export const jsonForm =
  (shape: "arrays" | "objects" = "arrays") =>
  (names: readonly string[]): RowForm => ({ kind: "json", shape, names });

/** The form of rows that become typed cells. */
export const cellsForm = (): RowForm => ({ kind: "cells" });

/** An SQL expression for the text of one row. `cells` are SQL expressions that are cheap to repeat. */
export function rowText(cells: readonly string[], form: RowForm): string {
  if (form.kind === "cells") return joined("[", cells.map(typedCell), ",", "]");
  if (form.shape === "arrays") return joined("[", cells.map(wireCell), ", ", "]");
  return joined("{", objectMembers(cells, form.names), ", ", "}");
}

// SQLite's functions take 1000 arguments at most.
const MAX_ARGUMENTS = 900;

function joined(open: string, parts: readonly string[], separator: string, close: string): string {
  const quoted = quoteText(separator);
  const join = (some: readonly string[]): string => `concat_ws(${quoted},${some.join(",")})`;
  const groups: string[] = [];
  for (let start = 0; start < parts.length; start += MAX_ARGUMENTS) {
    groups.push(join(parts.slice(start, start + MAX_ARGUMENTS)));
  }
  return `${quoteText(open)}||${groups.length === 1 ? groups[0] : join(groups)}||${quoteText(close)}`;
}

/** Of equal names the last value stays, at the place of the first. */
function objectMembers(cells: readonly string[], names: readonly string[]): string[] {
  const members = new Map<string, string>();
  names.forEach((name, index) => members.set(name, cells[index] ?? "null"));
  return [...members].map(([name, cell]) => `${quoteText(`${jsonString(name)}: `)}||${wireCell(cell)}`);
}

const wireCell = (cell: string): string =>
  `case typeof(${cell}) when 'text' then json_quote(${cell}) when 'integer' then ${cell} ` +
  `when 'null' then 'null' when 'real' then ${wireReal(cell)} else ${marked(MARKS.blob, `hex(${cell})`)} end`;

/**
 * Up to 16 characters hold 15 digits at most, which SQLite writes exactly and without exponent in this range.
 * Everything else is written with all its digits and put into its shortest form later.
 */
const wireReal = (cell: string): string =>
  `case when abs(${cell})>=1e-4 and abs(${cell})<1e15 and length(${cell})<=16 then ${cell} ` +
  `else ${marked(MARKS.real, digits(cell))} end`;

const marked = (mark: string, text: string): string => `${quoteText(mark)}||${text}||${quoteText(mark)}`;

// SQLite prints negative zero like zero; the arc tangent knows them apart.
const digits = (cell: string): string =>
  `case when ${cell}=0.0 and atan2(${cell},-1)<0 then '-0.0' else format('%!.17g',${cell}) end`;

/** JSON that keeps the storage classes apart: see `decodeCell`. */
const typedCell = (cell: string): string =>
  `case typeof(${cell}) when 'text' then json_quote(${cell}) when 'integer' then ${typedInteger(cell)} ` +
  `when 'null' then 'null' when 'real' then '["'||${digits(cell)}||'"]' ` +
  `else '{"blob":"'||hex(${cell})||'"}' end`;

const typedInteger = (cell: string): string =>
  `case when ${cell} between -9007199254740991 and 9007199254740991 then ${cell} ` +
  `else '{"integer":"'||${cell}||'"}' end`;
