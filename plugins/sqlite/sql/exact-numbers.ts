import {
  type ColumnOf,
  columnOf,
  exactDecimal,
  holdsNumbers,
  isParsedExactly,
} from "rowhouse/plugin-api/engine";

/**
 * A text that SQLite converts to a REAL. Digits alone become an INTEGER, which is exact. SQLite skips the white space of
 * ASCII only; a text with other spaces stays a text. The expression takes linear time.
 */
const REAL_TEXT = /^[ \t-\r]*[-+]?(?=\d*[.e])(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?[ \t-\r]*$/i;

/** True for a column whose affinity converts the text of a number to a number. */
export function isNumeric({ table, name }: ColumnOf): boolean {
  const column = columnOf(table, name);
  return table.kind === "table" && column !== undefined && holdsNumbers(column);
}

/**
 * A literal for the number that a text spells, where SQLite's own conversion may return a neighbour of the nearest double;
 * null if its conversion is exact, or the text is not a number.
 */
export function exactLiteral(text: string): string | null {
  if (!REAL_TEXT.test(text) || isParsedExactly(text.trim())) return null;
  const value = Number(text);
  return Number.isFinite(value) ? exactDecimal(value) : null;
}

/** A text for a column of numbers in a form that the affinity of the column converts exactly; other texts as they are. */
export const convertedExactly = (column: ColumnOf, text: string): string =>
  (isNumeric(column) && exactLiteral(text)) || text;
