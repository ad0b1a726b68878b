import { columnsOf, rowsTable, type RowPlace } from "rowhouse/browser";

/** The number in a cell; null for other values. */
export function valueIn(cell: HTMLTableCellElement): number | null {
  const isNumber = cell.matches(".type-int, .type-float");
  const value = Number(textIn(cell));
  return isNumber && Number.isFinite(value) ? value : null;
}

/** The stored value, which formatted numbers have as their title. */
const textIn = (cell: HTMLTableCellElement): string =>
  cell.querySelector<HTMLElement>(":scope > span[title]")?.title ?? (cell.textContent ?? "").trim();

/** The sums of the columns of numbers. */
export function sumsOf(rows: readonly RowPlace[]): ReadonlyMap<string, number> {
  const table = rowsTable();
  const sums = new Map<string, number>();
  for (const { name, index, isKey } of table === null || rows.length === 0 ? [] : columnsOf(table)) {
    const values = rows.map(({ element }) => {
      const cell = element.cells[index];
      return cell === undefined ? null : valueIn(cell);
    });
    const numbers = values.filter((value) => value !== null);
    if (!isKey && numbers.length > 0)
      sums.set(
        name,
        numbers.reduce((sum, value) => sum + value, 0),
      );
  }
  return sums;
}

/** The cells of a row as spreadsheets take them. */
export const lineOf = ({ element }: RowPlace): string =>
  [...element.cells].map((cell) => textIn(cell).replaceAll(/[\t\n]+/g, " ")).join("\t");
