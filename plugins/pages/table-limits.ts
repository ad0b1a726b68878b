import type { RowSet, Rowhouse } from "rowhouse/plugin-api";

/** How much of a result one page shows; Infinity for no limit. */
export interface TableLimits {
  readonly columns: number;
  readonly cells: number;
  /** Of the markup of the rows. */
  readonly characters: number;
}

/** Below this length a value is never cut because of the limit of the whole table. */
const SHORT_CHARACTERS = 2_048;

export const tableLimits = (rowhouse: Rowhouse): TableLimits => ({
  columns: rowhouse.setting("max_html_columns") || Infinity,
  cells: rowhouse.setting("max_html_cells") || Infinity,
  characters: rowhouse.setting("max_html_kb") * 1024 || Infinity,
});

/** The first rows: as many as have no more cells than the limit, and at least one. All columns remain. */
export function limitedRows(rows: RowSet, limits: TableLimits): RowSet {
  const columns = Math.max(1, Math.min(rows.columns.length, limits.columns));
  const most = Math.max(1, Math.floor(limits.cells / columns));
  const cells = rows.cells ?? [];
  if (cells.length <= most) return rows;
  return {
    ...rows,
    cells: cells.slice(0, most),
    ...(rows.paths !== undefined && { paths: rows.paths.slice(0, most) }),
  };
}

/** What one value may take of the table's limit; 0 for no limit. */
export function valueLimit(columns: number, { characters }: TableLimits): number {
  if (characters === Infinity) return 0;
  return Math.max(SHORT_CHARACTERS, Math.floor(characters / Math.max(1, columns)));
}
