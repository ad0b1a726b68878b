import type { Cell, Html, RowSet, Rowhouse, Visit } from "rowhouse/plugin-api";
import type { GivenCells } from "./row-table.js";

interface Where {
  readonly database: string;
  readonly table: string | null;
  readonly primaryKeys: readonly string[];
}

/** What plugins want shown for cells, row by row; null when no plugin renders cells, which costs nothing. */
export async function givenCells(
  rowhouse: Rowhouse,
  { request, actor }: Visit,
  rows: RowSet,
  where: Where,
): Promise<GivenCells | null> {
  const hook = rowhouse.hooks.render_cell;
  if (!hook.isUsed()) return null;
  const cells = rows.cells ?? [];
  const askRow = (cellsOfRow: readonly Cell[]): Promise<(string | Html | null)[]> => {
    const row = Object.fromEntries(rows.columns.map((column, index) => [column, cellsOfRow[index] ?? null]));
    const ask = async (column: string): Promise<string | Html | null> =>
      (await hook.promise(rowhouse, { ...where, value: row[column] ?? null, column, row, request, actor })) ??
      null;
    return Promise.all(rows.columns.map(ask));
  };
  return Promise.all(cells.map(askRow));
}
